"""The formats of tokens and keys that their makers gave a shape to be found by.

A row is the literals without which the pattern is not even tried, and the pattern; one without literals has a shape.
`^` stands for the beginning of a word, for formats whose first letters could be the last of something else. A format
with letters of its own needs none: it is found wherever it is glued. Lengths are lower than the makers', because
somebody may have cut the text before us.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from errata.redaction._spans import BEGAN, Kind, Span, compile_late, find_all, find_word_starts, match_at
from errata.redaction._value_looks import is_random

# fmt: off
_TOKENS = (
    # Clouds
    ("AKIA",          r"AKIA[A-Z0-9]{12,}"),
    ("ASIA",          r"^ASIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("ABIA",          r"^ABIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("ACCA",          r"^ACCA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("ABSK",          r"^ABSK[A-Za-z0-9+/=]{60,}"),                           # Bedrock
    ("ZXIvYXdz",      r"FwoGZXIvYXdz[\w+/=%\-]{20,}"),                        # An AWS session
    ("b3JpZ2lu",      r"IQoJb3JpZ2lu[\w+/=%\-]{20,}"),
    ("amzn.mws",      r"amzn\.mws\.[0-9a-f\-]{20,}"),
    ("AIza",          r"AIza[\w\-]{30,}"),
    ("ya29.",         r"ya29\.[\w.\-]{20,}"),
    ("GOCSPX-",       r"GOCSPX-[\w\-]{16,}"),
    ("1//0",          r"^1//0[\w\-]{24,}"),                                   # Google: refresh tokens
    ("4/0A",          r"^4/0A[\w\-]{24,}"),                                   # … and codes
    ("GOOG",          r"^GOOG[A-Z0-9]{16,}"),
    ("APA91b",        r"[\w\-]{0,32}:?APA91b[\w\-]{40,}"),
    ("Q~",            r"^[A-Za-z0-9_~.\-][\w~.\-]{2}\dQ~[\w~.\-]{28,}"),          # Entra: client secrets
    ("AZDO",          r"^[A-Za-z0-9][A-Za-z0-9]{69,79}AZDO[A-Za-z0-9]{4}"),
    ("windows.net=",  r"(?<=windows\.net=)[A-Za-z0-9+/]{40,}={0,2}"),          # Hadoop's account keys
    ("AStA",          r"[A-Za-z0-9+/]{60,80}\+AStA[A-Za-z0-9+/]{4,8}={0,2}"),  # Azure storage
    ("_v1_",          r"^do[opr]_v1_[0-9a-f]{20,}"),
    ("LTAI",          r"^LTAI[A-Za-z0-9]{12,}"),                              # Alibaba
    ("AKID",          r"^AKID[A-Za-z0-9]{20,}"),                              # Tencent
    ("SCW",           r"^SCW[A-Z0-9]{17}(?![A-Za-z0-9])"),
    ("HRKU-",         r"HRKU-[\w\-]{20,}"),
    ("fo1_",          r"^fo1_[\w\-]{20,}"),
    ("fm1 fm2",       r"^fm[12][ar]?_[\w+/=,\-]{30,}"),                       # Fly
    ("rnd_",          r"^rnd_[A-Za-z0-9]{20,}"),
    ("nfp_",          r"^nfp_[A-Za-z0-9]{20,}"),
    ("vercel_blob_",  r"vercel_blob_rw_[A-Za-z0-9_]{20,}"),
    ("cfut_ cfat_",   r"^cf[ua]t_[A-Za-z0-9]{36,}"),                          # Cloudflare, as the next
    ("v1.0-",         r"^v1\.0-[0-9a-f]{24}-[0-9a-f]{60,}"),                  # Cloudflare's origin CA
    ("dapi",          r"^dapi[0-9a-f]{28,}(?:-\d)?"),
    ("dose",          r"^dose[0-9a-f]{28,}"),
    ("sha256~",       r"sha256~[\w\-]{30,}"),                                 # OpenShift
    # Code and packages
    ("ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9_]{16,}"),
    ("github_pat_",   r"github_pat_[A-Za-z0-9_]{20,}"),
    ("v1.",           r"^v1\.[0-9a-f]{40}(?![0-9a-f])"),
    ("glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct- glwt-", r"gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)-[\w.\-]{16,}"),
    ("GR1348941",     r"GR1348941[\w\-]{16,}"),
    ("npm_",          r"npm_[A-Za-z0-9]{24,}"),
    ("pypi-",         r"pypi-[\w\-]{30,}"),
    ("rubygems_",     r"rubygems_[0-9a-f]{30,}"),
    ("CLOJARS_",      r"CLOJARS_[0-9a-f]{40,}"),
    ("cio",           r"^cio[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    ("oy2",           r"^oy2[a-z0-9]{43}(?![a-z0-9])"),
    ("dckr_",         r"dckr_[a-z]{3}_[\w\-]{20,}"),
    ("AKCp",          r"^AKCp[A-Za-z0-9]{50,}"),
    ("cmVmdGtuO",     r"cmVmdGtuO[A-Za-z0-9]{40,}"),
    ("ATATT3",        r"ATATT3[\w=+/.\-]{20,}"),
    ("ATCTT3",        r"ATCTT3[\w=+/.\-]{20,}"),
    ("ATSTT3",        r"ATSTT3[\w=+/.\-]{20,}"),
    ("ATBB",          r"^ATBB[A-Za-z0-9]{20,}"),
    ("sgp_",          r"^sgp_[0-9a-f_]{36,}"),
    ("sqp_ squ_ sqa_", r"^sq[pua]_[0-9a-f]{36,}"),                             # SonarQube
    ("CCIPAT_",       r"CCIPAT_[\w]{20,}"),
    ("bkua_",         r"bkua_[0-9a-f]{30,}"),
    ("expo_",         r"^expo_(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{36,}"),
    ("snyk_",         r"snyk_[\w.\-]{30,}"),
    # Talk and mail
    ("xox",           r"xox[a-z][\-.](?:xox[a-z]-)?[\w\-]{11,}(?:%(?:2[BF]|3D)[\w\-]*)*"),
    ("xapp-",         r"xapp-[\w\-]{16,}"),
    ("xwfp-",         r"xwfp-[\w\-]{16,}"),
    ("hooks.slack",   r"(?<=hooks\.slack\.com)(?:\\?/|%2F)(?:services|workflows|triggers)(?:(?:\\?/|%2F)[A-Za-z0-9]+)+"),
    ("webhooks",      r"(?<=/webhooks/)\d{10,24}/[\w\-]{20,}"),                 # Discord
    ("webhookb2",     r"(?<=/webhookb2/)[\w@\-]{20,}(?:/[\w\-]+)*"),          # Teams
    ("IncomingWebhook", r"(?<=/webhook/)[0-9a-f\-]{30,80}@[0-9a-f\-]{30,80}/IncomingWebhook/[\w\-/]{30,}"),
    ("hooks.zapier",  r"(?<=hooks\.zapier\.com/hooks/catch/)\d{1,20}/\w+"),
    ("make.com/",     r"(?<=\.make\.com/)[a-z0-9]{24,}"),
    ("/with/key/",    r"(?<=/with/key/)[\w\-]{20,}"),                         # IFTTT
    ("&hm=",          r"(?<=&hm=)[0-9a-f]{64}"),                              # Discord's files
    ("/hooks/",       r"(?<=/hooks/)(?=[a-z]{0,25}\d)[a-z0-9]{26}(?![\w\-])"),  # Mattermost
    ("/webhook/",     r"(?<=/webhook/)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),  # n8n
    ("pagerduty.com/integration/", r"(?<=pagerduty\.com/integration/)[0-9a-f]{28,}"),
    ("mfa.",          r"^mfa\.[\w\-]{40,}"),
    ("",              r"^[MNO][A-Za-z0-9_\-]{23,27}\.[\w\-]{6}\.[\w\-]{25,}"),  # Discord
    (":AA",           r"(?<!\d)\d{8,10}:AA[\w\-]{28,}"),                      # Telegram
    ("SG.",           r"SG\.[\w\-]{13,}(?:\.[\w\-]{12,})?"),
    ("SK",            r"^SK[0-9a-f]{32}(?![0-9A-Za-z])"),                     # Twilio
    ("key-",          r"^key-[0-9a-f]{32}(?![0-9A-Za-z])"),                   # Mailgun, as the next
    ("",              r"^[0-9a-f][0-9a-f]{31}-[0-9a-f]{8}-[0-9a-f]{8}(?![0-9A-Za-z\-])"),
    ("-us",           r"^[0-9a-f][0-9a-f]{31}-us\d{1,2}(?!\d)"),                      # Mailchimp
    ("xkeysib-",      r"xkeysib-[0-9a-f]{30,}(?:-\w+)?"),
    ("xsmtpsib-",     r"xsmtpsib-[0-9a-f]{30,}(?:-\w+)?"),
    ("re_",           r"^re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,}"),             # Resend
    # Money
    ("_live_",        r"^[a-z](?!k_live_(?<=pk_live_))[a-z]{1,11}_live_(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{14,}"),
    ("_live_ _test_", r"(?:sk|rk|rzp|shippo|duffel|whsec)_(?:live|test)_[A-Za-z0-9_\-]{10,}"),
    ("v1= v0=",       r"^t=\d{9,13}(?:,\s?v[01]=[0-9a-f]{32,})+"),                # Stripe's signatures
    ("whsec_",        r"whsec_[A-Za-z0-9+/=]{16,}"),
    ("shpat_ shpca_ shppa_ shpss_ shpua_ shptka_", r"shp(?:at|ca|pa|ss|ua|tka)_[0-9a-fA-F]{24,}"),
    ("polar_oat_",    r"polar_oat_[A-Za-z0-9]{30,}"),
    ("sq0",           r"sq0[a-z]{3}-[\w\-]{20,}"),
    ("EAAA",          r"^EAAA[\w\-]{40,}"),
    ("EAA",           r"^EAA[A-Za-z0-9]{60,}"),                               # Facebook
    ("IGQ",           r"^IGQ[A-Za-z0-9_\-]{60,}"),
    ("access_token$", r"access_token\$[a-z]{1,20}\$[0-9a-z]{12,64}\$[0-9a-f]{24,}"),
    ("access-",       r"^access-(?:sandbox|development|production)-[0-9a-f\-]{30,}"),
    ("FLWSECK",       r"FLWSECK(?:_TEST)?-[\w\-]{20,}"),
    ("live_",         r"^live_(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{28,}"),
    ("test_",         r"^test_(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{28,}"),
    ("EZAK EZTK",     r"^EZ[AT]K[A-Za-z0-9]{40,}"),
    # Work
    ("secret_",       r"^secret_[A-Za-z0-9]{32,}"),
    ("ntn_",          r"^ntn_[A-Za-z0-9]{30,}"),
    ("lin_",          r"^lin_(?:api|oauth)_[A-Za-z0-9]{20,}"),
    ("figd_ figo_ figu_ figur_", r"^fig(?:[dou]|ur)_[\w\-]{20,}"),
    ("pat",           r"^pat[A-Za-z0-9]{14}\.[0-9a-f]{40,}"),                 # Airtable
    ("pat-",          r"^pat-[a-z]{2}\d-[0-9a-f\-]{30,}"),                    # HubSpot
    ("",              r"^[0-2]/\d{10,20}(?:/\d{10,20})?:[0-9a-f]{32}"),       # Asana
    ("ATTA",          r"^ATTA[0-9a-f]{40,}"),
    ("pk_",           r"^pk_\d{5,12}_[A-Z0-9]{32}"),                          # ClickUp
    ("dG9rO",         r"^dG9rO[A-Za-z0-9+/=]{30,}"),                          # Intercom
    ("00D",           r"^00D[A-Za-z0-9]{12,15}![\w.]{40,}"),                  # Salesforce
    ("1000.",         r"^1000\.[0-9a-f]{32}\.[0-9a-f]{32}"),
    ("tfp_",          r"^tfp_[\w.=\-]{40,}"),
    ("CFPAT-",        r"CFPAT-[\w\-]{30,}"),
    ("PMAK-",         r"PMAK-[0-9a-f]{20,}(?:-[0-9a-f]{20,})?"),
    ("fio-u-",        r"fio-u-[\w\-]{40,}"),
    ("rdme_",         r"rdme_[a-z0-9]{40,}"),
    # Data
    ("&upload_id=",   r"(?<=uploadType=resumable&upload_id=)[\w\-]{20,}"),    # Google's storage
    ("/t/",           r"(?<=/t/)[a-z]{2}-[0-9a-f\-]{20,}"),              # Anaconda
    ("live_",         r"^live_\d{6,12}_[A-Za-z0-9]{24,}"),                    # Twitch
    ("auth_req_id=",  r"(?<=auth_req_id=)[\w.\-]{20,}"),                      # OpenID
    ("",              r"(?<=[Kk]ey: )[0-9a-f]{80}(?![0-9a-f])"),               # AbuseIPDB
    ("infura.io/v3/", r"(?<=infura\.io/v3/)[0-9a-f]{28,}"),
    ("alchemy.com/v2/", r"(?<=alchemy\.com/v2/)[\w\-]{24,}"),
    ("sbp_",          r"^sbp_[0-9a-f]{30,}"),
    ("sb_secret_",    r"sb_secret_[\w\-]{16,}"),
    ("pscale_",       r"pscale_[a-z]{1,20}_[\w.=\-]{20,}"),
    ("napi_",         r"^napi_[a-z0-9]{30,}"),
    ("npg_",          r"^npg_[A-Za-z0-9]{12,}"),
    ("mdb_sa_",       r"mdb_sa_(?:sk|id)_[\w\-]{20,}"),
    ("pcsk_",         r"^pcsk_\w{30,}"),
    ("sk.eyJ",        r"^sk\.eyJ[\w.\-]{40,}"),                               # Mapbox
    ("sl.",           r"^sl\.[\w\-]{60,}"),                                   # Dropbox
    ("vk1.a.",        r"vk1\.a\.[\w\-]{40,}"),
    ("y0_",           r"^y0_[\w\-]{40,}"),
    ("AQVN",          r"^AQVN[\w\-]{30,}"),
    ("AAAAAAAAAA",    r"^AA{15}[\w%]{40,}"),                                  # Twitter
    # Watching
    ("glsa_ glc_",    r"gl(?:sa|c)_[\w+/=]{24,}"),                            # Grafana
    ("NRAK- NRII- NRIQ- NRAA- NRRA- NRAL-", r"^NR(?:AK|II|IQ|AA|RA|AL)-[A-Za-z0-9\-]{20,}"),
    ("NRAL",          r"^[0-9a-f][0-9a-f]{35}NRAL"),
    ("sntry",         r"sntry[su]_[\w=+/.\-]{20,}"),
    ("hc",            r"^hc[a-z]{2,3}k_[a-z0-9]{30,}"),                       # Honeycomb
    ("dt0",           r"^dt0[a-z]\d\d\.[A-Z0-9]{20,64}\.[A-Z0-9]{40,}"),
    ("phx_",          r"^phx_[A-Za-z0-9]{30,}"),
    ("sdk-",          r"^sdk-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    # Doors
    ("hvs. hvb. hvr.", r"hv[sbr]\.[\w\-]{20,}"),
    ("s. b. r.",      r"^[sbr]\.(?=[A-Za-z]{0,23}[0-9])[A-Za-z0-9]{24}(?![\w.])"),
    ("st.",           r"^st\.[0-9a-f\-]{24,36}\.[0-9a-f]{32,128}\.[0-9a-f]{32,}"),  # Infisical
    ("SAMLResponse= SAMLRequest=", r"(?:(?<=SAMLResponse=)|(?<=SAMLRequest=))[\w%+/=\-]{40,}"),
    ("/invite/ /reset-password/ /magic/ /magic-link/",                        # Links that let in whoever has them
     r"(?:(?<=/invite/)|(?<=/reset-password/)|(?<=/magic/)|(?<=/magic-link/))(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9_]{24,256}+(?![\w\-])"),
    ("dp.",           r"^dp\.(?:pt|st|ct|scim|audit|sa|said)\.(?:[\w\-]{1,64}\.)?[A-Za-z0-9]{20,}"),
    ("ops_",          r"^ops_[\w=+/\-]{40,}"),
    ("A3-",           r"^A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){3,6}"),            # 1Password
    ("tskey-",        r"tskey-[a-z]{1,20}-[\w\-]{10,}"),
    ("secret-",       r"^secret-(?:(?:live|test)-[\w=\-]{20,}|[A-Za-z0-9]{30,})"),
    ("pul-",          r"^pul-[0-9a-f]{30,}"),
    (".atlasv1.",     r"^[A-Za-z0-9][A-Za-z0-9]{9,19}\.atlasv1\.[\w=\-]{40,}"),
    ("pnu_ pnb_",     r"^pn[ub]_[A-Za-z0-9]{30,}"),
    ("dnkey-",        r"dnkey-[\w=\-]{20,}"),
    # Models
    ("sk-",           r"sk-(?:ant|proj|svcacct|admin|None|or|lf|user)-[\w\-]{16,}"),
    ("sk-",           r"^sk-[A-Za-z0-9]{20,}[\w\-]*"),
    ("sk- rk-",       r"^[sr]k-(?:live|test|prod)-[A-Za-z0-9][\w\-]{13,}"),
    ("sess-",         r"^sess-[A-Za-z0-9]{30,}"),
    ("sk_",           r"^sk_(?:prod|dev|[0-9a-f]{10})[\w\-]{20,}"),
    ("hf_",           r"^hf_[A-Za-z0-9]{20,}"),
    ("api_org_",      r"api_org_[A-Za-z0-9]{20,}"),
    ("r8_",           r"^r8_[A-Za-z0-9]{20,}"),
    ("gsk_",          r"^gsk_[A-Za-z0-9]{20,}"),
    ("csk-",          r"^csk-[A-Za-z0-9]{20,}"),
    ("pplx-",         r"pplx-[A-Za-z0-9]{20,}"),
    ("xai-",          r"^xai-[A-Za-z0-9]{20,}"),
    ("fw_",           r"^fw_[A-Za-z0-9]{20,}"),
    ("tgp_v1_",       r"tgp_v1_[\w\-]{20,}"),
    ("nvapi-",        r"nvapi-[\w\-]{30,}"),
    ("pa-",           r"^pa-[A-Za-z0-9_]{30,}[\w\-]*"),
    ("jina_",         r"jina_[0-9a-f]{32}\w*"),
    ("tvly-",         r"tvly-[\w\-]{20,}"),
    ("fc-",           r"^fc-[0-9a-f]{32}"),
    ("apify_api_",    r"apify_api_[A-Za-z0-9]{20,}"),
    ("e2b_",          r"^e2b_[0-9a-f]{30,}"),
    ("lsv2_",         r"lsv2_[a-z]{2}_[0-9a-f]{24,}(?:_[0-9a-f]+)?"),
    # Anybody's: a maker's name, what it is, and a long word with digits in it.
    ("_sk_ _pat_ _secret_ _token_ _key_ _api_ _apikey_ _prod_",
     r"^[a-z][a-z0-9]{1,14}_(?:sk|pat|secret|token|key|api|apikey|prod)_(?=[A-Za-z]{0,60}[0-9])[A-Za-z0-9]{20,}"),
    ("-sk- -pat- -secret- -token- -key- -api-",
     r"^[a-z][a-z0-9]{1,14}-(?:sk|pat|secret|token|key|api)-(?=[A-Za-z]{0,60}[0-9])[A-Za-z0-9]{20,}"),
    # Others, known by what is in the middle of them
    ("msh",           r"^[0-9a-z][0-9a-z]{7,11}msh[0-9a-z]{10,16}p1[0-9a-z]{4,8}jsn[0-9a-z]{8,14}"),   # RapidAPI
    ("AzFu",          r"^[\w\-][\w\-]{43}AzFu[\w\-]{6,8}={0,2}"),           # Azure's functions, as the next its storage
    ("+ASt",          r"^[A-Za-z0-9+/][A-Za-z0-9+/]{75}\+ASt[A-Za-z0-9+/]{6}=="),
    ("cflt",          r"^cflt[A-Za-z0-9+/]{40,}"),                            # Confluent
    ("_mmk",          r"^[A-Za-z0-9][A-Za-z0-9]{5}_[A-Za-z0-9]{20,32}_mmk"),  # MaxMind
    ("pat. sat.",     r"^[ps]at\.[\w\-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{16,20}"),  # Harness
    ("api_",          r"^api_[A-Za-z0-9]{20,24}\.[A-Za-z0-9]{20,24}"),        # Close
    ("4b1d",          r"^4b1d[A-Za-z0-9]{38}(?![A-Za-z0-9])"),                # ClickHouse
    ("K00",           r"^K00\d[A-Za-z0-9+/]{27}(?![A-Za-z0-9+/])"),           # Backblaze
    ("token-",        r"^token-[a-z0-9]{3,10}:[a-z0-9]{40,}"),                # Rancher, as the next
    ("kubeconfig-",   r"^kubeconfig-[a-z0-9\-]{3,40}:[a-z0-9]{40,}"),
    ("T-",            r"^[STP]G?T-\d{1,9}-[A-Za-z0-9_\-]{16,}(?:\.[\w.\-]{1,60})?"),  # CAS
    ("/reset/ /verify/ /confirm/ /activate/ /unsubscribe/ /accept/ /invitation/ /login/ /share/",
     r"(?:(?<=/(?:reset|share|login)/)|(?<=/(?:verify|accept)/)|(?<=/confirm/)|(?<=/activate/)|(?<=/unsubscribe/)|(?<=/invitation/))(?=[A-Za-z_\-]{0,40}[0-9])(?=[^A-Z\s]{0,60}[A-Z])[A-Za-z0-9_\-]{24,256}(?![\w./\-])"),
    ("",              r"^[0-9a-f][0-9a-f]{31}\.[A-Za-z0-9]{16}(?![A-Za-z0-9.])"),  # Zhipu
    ("",              r"^[0-9a-f][0-9a-f]{7}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:[0-9a-f]{32}(?![0-9a-f])"),  # fal
    ("",              r"^[0-9a-f][0-9a-f]{23}:[0-9a-f]{64}(?![0-9a-f])"),     # Ghost
    ("",              r"^[A-Za-z0-9_\-][\w\-]{5}\.[\w\-]{6}:[\w\-]{43}(?![\w\-])"),  # Ably
    ("oauth:",        r"^oauth:(?=[a-z]{0,29}[0-9])[a-z0-9]{28,36}(?![a-z0-9])"),  # Twitch
    ("sk",            r"^sk(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{80,}"),         # Sanity
    (":fx",           r"^[0-9a-f][0-9a-f]{7}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:fx(?!\w)"),  # DeepL
    ("CfDJ8",         r"^CfDJ8[\w\-]{40,}"),                                  # ASP.NET's protected data
    ("gAAAAA",        r"^gAAAAA[\w\-]{60,}={0,2}"),                           # Fernet
    ("v^1.1#",        r"v\^1\.1\#[\w^\#+/=\-]{40,}"),                         # eBay
    ("PVEAPIToken=",  r"(?<=PVEAPIToken=)[\w.\-]{1,64}@[\w.\-]{1,64}![\w.\-]{1,64}=[0-9a-f\-]{30,}"),  # Proxmox
    # A JSON Web Token, signed, encrypted or cut; a base64 of JSON without a dot is somebody's cursor.
    ("eyJ",           r"^e(?<!-.)yJ[\w\-]{8,2048}+={0,2}\.[\w\-=]{8,}(?:\.[\w\-=]*){0,3}"),
    ("ZXlK",          r"^ZXlK[A-Za-z0-9+/]{60,}={0,2}"),                      # One in base64 once more
    (".local. .public.", r"^v[1-4]\.(?:local|public)\.[\w\-]{40,}"),          # PASETO
)

_HEX, _LOWER, _UPPER, _ALNUM = "0-9a-f", "a-z0-9", "A-Z0-9", "A-Za-z0-9"
_WORD, _BASE64, _DASHED = r"\w\-", r"\w+/=\-", "0-9a-f-"

_PREFIXES: tuple[tuple[str, str, int, str], ...] = (
    # Clouds, hosts and networks
    ("AVNS_", _WORD, 14, "Aiven"),
    ("CCDB1_", r"\w", 40, "CockroachDB"),
    ("CW-SECRET-", _ALNUM, 24, "CoreWeave"),
    ("EXO", _HEX, 24, "Exoscale"),
    ("QN_", _HEX, 24, "QuickNode"),
    ("akab-", r"a-z0-9\-", 28, "Akamai"),
    ("alcht_", _ALNUM, 24, "Alchemy"),
    ("aph0_", _BASE64, 20, "Anyscale"),
    ("bce-v3/ALTAK-", r"A-Za-z0-9/", 24, "Baidu"),
    ("cfk_", _ALNUM, 30, "Cloudflare"),
    ("cqt_", _ALNUM, 20, "Covalent"),
    ("depot_org_", _ALNUM, 20, "Depot"),
    ("depot_project_", _ALNUM, 20, "Depot"),
    ("dnsimple_a_", _ALNUM, 20, "DNSimple"),
    ("dnsimple_o_", _ALNUM, 20, "DNSimple"),
    ("dnsimple_u_", _ALNUM, 20, "DNSimple"),
    ("dtn_", _HEX, 30, "Daytona"),
    ("esecret_", _LOWER, 20, "Anyscale"),
    ("jca_", _ALNUM, 30, "JumpCloud"),
    ("nbp_", _ALNUM, 30, "NetBird"),
    ("nfb_", _ALNUM, 30, "Netlify"),
    ("nfc_", _ALNUM, 30, "Netlify"),
    ("nfo_", _ALNUM, 30, "Netlify"),
    ("nfu_", _ALNUM, 30, "Netlify"),
    ("ngrok_", _ALNUM, 24, "ngrok"),
    ("nvcr_", _ALNUM, 24, "NVIDIA"),
    ("pk1_", _HEX, 40, "Porkbun"),
    ("ptr_", _BASE64, 36, "Portainer"),
    ("rpa_", _ALNUM, 24, "RunPod"),
    ("sk1_", _HEX, 40, "Porkbun"),
    ("t1.", r"\w=.\-", 60, "Yandex"),
    ("tk-us-", _WORD, 30, "Scalingo"),
    ("ucat_", _ALNUM, 16, "UpCloud"),
    ("vca_", _ALNUM, 20, "Vercel"),
    ("vci_", _ALNUM, 20, "Vercel"),
    ("vck_", _ALNUM, 20, "Vercel"),
    ("vcp_", _ALNUM, 20, "Vercel"),
    ("vcr_", _ALNUM, 20, "Vercel"),
    ("xapt-", _DASHED, 30, "Axiom"),
    ("xaat-", _DASHED, 30, "Axiom"),
    # Code, builds and packages
    ("API-", _UPPER, 24, "Octopus Deploy"),
    ("CCIPRJ_", r"\w", 20, "CircleCI"),
    ("bkaj_", _ALNUM, 20, "Buildkite"),
    ("bkct_", _ALNUM, 20, "Buildkite"),
    ("bkpt_", _ALNUM, 20, "Buildkite"),
    ("cnvca", _BASE64, 40, "Canva"),
    ("dkea", _HEX, 28, "Databricks"),
    ("ghapp_", _ALNUM, 24, "GitHub"),
    ("glcbt-", _WORD, 16, "GitLab"),
    ("ico-", _ALNUM, 28, "Infracost"),
    ("sgd_", _HEX, 36, "Sourcegraph"),
    ("waka_", _DASHED, 36, "WakaTime"),
    ("waka_tok_", _ALNUM, 40, "WakaTime"),
    ("waka_sec_", _ALNUM, 40, "WakaTime"),
    ("slk_", _HEX, 36, "Sourcegraph"),
    ("sktsec_", _WORD, 24, "Socket"),
    ("sso-key ", r"\w:\-", 20, "GoDaddy"),
    ("tr_dev_", _ALNUM, 16, "Trigger.dev"),
    ("tr_pat_", _ALNUM, 16, "Trigger.dev"),
    ("tr_prod_", _ALNUM, 16, "Trigger.dev"),
    ("wrkaus-", r"\w.\-", 24, "Workato"),
    ("wrkeu-", r"\w.\-", 24, "Workato"),
    # Models and what is built on them
    ("BSA", _WORD, 24, "Brave Search"),
    ("al-", _WORD, 30, "Voyage"),
    ("ap2_", _DASHED, 30, "Murf"),
    ("app-", _ALNUM, 24, "Dify"),
    ("bt-st-", _ALNUM, 30, "Braintrust"),
    ("ctx7sk-", _DASHED, 30, "Context7"),
    ("dataset-", _ALNUM, 24, "Dify"),
    ("fastgpt-", _ALNUM, 24, "FastGPT"),
    ("flp_", _ALNUM, 30, "Friendli"),
    ("fpk_", _ALNUM, 20, "Fireworks"),
    ("hl_sk_", _ALNUM, 24, "Humanloop"),
    ("ls__", _HEX, 24, "LangSmith"),
    ("llx-", _ALNUM, 30, "LlamaIndex"),
    ("m0-", _ALNUM, 30, "Mem0"),
    ("pb_", _WORD, 22, "Predibase"),
    ("pk-lf-", _DASHED, 30, "Langfuse"),
    ("pl_", _HEX, 28, "PromptLayer"),
    ("sk-helicone-", _WORD, 20, "Helicone"),
    ("sk_car_", _ALNUM, 16, "Cartesia"),
    ("sk_org_", _ALNUM, 20, "Stripe"),
    ("sk_sbox_", _LOWER, 20, "Checkout.com"),
    ("tl_", _HEX, 40, "Traceloop"),
    ("tnt_", _WORD, 30, "Ragie"),
    ("wandb_v1_", r"\w", 24, "Weights & Biases"),
    # Data
    ("dbtc_", _WORD, 30, "dbt"),
    ("dbts_", _WORD, 30, "dbt"),
    ("dbtu_", _WORD, 30, "dbt"),
    ("essu_", _BASE64, 30, "Elastic"),
    ("fnA", _WORD, 36, "Fauna"),
    ("hxtp_", _HEX, 40, "Hex"),
    ("mb_", _BASE64, 40, "Metabase"),
    ("p.eyJ", r"\w.\-", 40, "Tinybird"),
    ("retool_", r"\w", 24, "Retool"),
    ("xau_", _ALNUM, 30, "Xata"),
    ("sgp_", _ALNUM, 60, "Segment"),
    # Money and shops
    ("$aact_", r"A-Za-z0-9+/=:\-_", 30, "Asaas"),
    ("A21AA", _WORD, 60, "PayPal"),
    ("APP_USR-", r"0-9a-zA-Z-", 40, "Mercado Pago"),
    ("AQE", r"\w\-+/={}'%.", 60, "Adyen"),
    ("Mid-server-", _WORD, 18, "Midtrans"),
    ("Mid-client-", _WORD, 18, "Midtrans"),
    ("SB-Mid-server-", _WORD, 18, "Midtrans"),
    ("amzn1.oa2-cs.v1.", _HEX, 40, "Amazon"),
    ("amzn1.application-oa2-client.", _HEX, 28, "Amazon"),
    ("asat_", _HEX, 28, "AfterShip"),
    ("atk_", _ALNUM, 24, "RevenueCat"),
    ("ck_", _HEX, 36, "WooCommerce"),
    ("creem_", r"\w", 20, "Creem"),
    ("cs_", _HEX, 36, "WooCommerce"),
    ("pdl_live_", r"\w", 24, "Paddle"),
    ("pdl_ntfset_", r"\w", 24, "Paddle"),
    ("pdl_sdbx_", r"\w", 24, "Paddle"),
    ("pk_", _HEX, 34, "Klaviyo"),
    ("prtapi_", _HEX, 28, "Shopify"),
    ("xnd_", r"\w", 24, "Xendit"),
    # Mail, talk and people
    ("Atza|", _BASE64, 40, "Amazon"),
    ("Atzr|", _BASE64, 40, "Amazon"),
    ("IST.", r"\w.\-", 60, "Wix"),
    ("KEY", r"0-9A-Za-z_", 50, "Telnyx"),
    ("WPL_AP1.", r"\w.=+/\-", 16, "LinkedIn"),
    ("Zoho-enczapikey ", r"\w=+/.\-", 24, "ZeptoMail"),
    ("act.", r"\w!.\-", 40, "TikTok"),
    ("clt.", r"\w!.\-", 40, "TikTok"),
    ("kit_", _HEX, 24, "Kit"),
    ("md-", _WORD, 20, "Mandrill"),
    ("mlsn.", _HEX, 40, "MailerSend"),
    ("os_v2_app_", _LOWER, 40, "OneSignal"),
    ("os_v2_org_", _LOWER, 40, "OneSignal"),
    ("pina_", _ALNUM, 30, "Pinterest"),
    ("rft.", r"\w!.\-", 40, "TikTok"),
    ("sec-c-", _BASE64, 36, "PubNub"),
    ("syt_", r"\w+/=", 24, "Matrix"),
    # Work and pages
    ("dvc_server_", r"\w", 24, "DevCycle"),
    ("gb_api_", _ALNUM, 24, "GitBook"),
    ("n8n_api_", r"\w.\-", 24, "n8n"),
    ("p8e-", _LOWER, 28, "Adobe"),
    ("pit-", _DASHED, 30, "HighLevel"),
    ("private_", _BASE64, 26, "ImageKit"),
    ("s-s4t2af-", _HEX, 40, "42"),
    ("s-s4t2ud-", _HEX, 40, "42"),
    ("ser.", _ALNUM, 18, "Flagsmith"),
    ("sm_aat_", _ALNUM, 14, "SettleMint"),
    ("sm_pat_", _ALNUM, 14, "SettleMint"),
    ("sm_sat_", _ALNUM, 14, "SettleMint"),
    # Watching and guarding
    ("ory_at_", r"\w.\-", 40, "Ory"),
    ("ory_rt_", r"\w.\-", 40, "Ory"),
    ("ory_ac_", r"\w.\-", 40, "Ory"),
    ("ory_pat_", _ALNUM, 24, "Ory"),
    ("unkey_", _ALNUM, 20, "Unkey"),
    ("censys_", _WORD, 20, "Censys"),
    ("console-", _ALNUM, 36, "Statsig"),
    ("hawk.", r"\w.\-", 30, "StackHawk"),
    ("hbp_", _ALNUM, 24, "Honeybadger"),
    ("phs_", _ALNUM, 30, "PostHog"),
    ("pss_service:", r"\w:.\-", 40, "Phase"),
    ("pss_user:", r"\w:.\-", 40, "Phase"),
    ("secret-token:", r"\w.~%\-", 12, "RFC 8959"),
    ("signkey-branch-", _HEX, 30, "Inngest"),
    ("signkey-prod-", _HEX, 30, "Inngest"),
    ("signkey-test-", _HEX, 30, "Inngest"),
    ("vlt_", _HEX, 40, "dotenv"),
    # Keys of money and of people without a maker
    ("RWRCSwAAA", _BASE64, 80, "signify"),
    ("RWRTY0Iy", _BASE64, 100, "minisign"),
    ("edsk", "1-9A-HJ-NP-Za-km-z", 44, "Tezos"),
    ("nsec1", _LOWER, 50, "Nostr"),
)
"""How a token begins, the letters behind that, how many of them at least, and whose it is.

For formats that need no more than this. The others have rows of their own above.
"""

_HASHES = (
    ("$2",            r"\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{20,}"),
    ("$argon2",       r"\$argon2[a-z]{1,2}\$[\w$=,+/.\-]{20,}"),
    ("$",             r"(?<![\w$])\$(?:1|5|6|7|y|gy|apr1|s0|sha1|md5|scrypt|bcrypt-sha256)\$[\w$=,+/.\-]{16,}"),
    ("pbkdf2",        r"\$?pbkdf2[\w\-:]{0,32}\$[\w$=+/.\-]{24,}"),
    ("grub.pbkdf2",   r"grub\.pbkdf2\.sha512\.\d{1,9}\.[0-9A-F.]{40,}"),
    ("scrypt:",       r"scrypt:\d{1,9}:\d{1,9}:\d{1,9}\$[\w$=+/.\-]{24,}"),
    ("SCRAM-SHA",     r"SCRAM-SHA-\d{1,4}\$\d{1,9}:[\w$=+/:\-]{24,}"),
    ("{SHA {SSHA",    r"\{S?SHA\d{0,3}\}[A-Za-z0-9+/]{20,}={0,2}"),
    ("md5",           r"^md5[0-9a-f]{32}(?![0-9a-f])"),                       # PostgreSQL
    ("*",             r"(?<![\w*])\*[0-9A-F]{40}(?![0-9A-Fa-f])"),            # MySQL
    (":aad3b435",     r"(?<=:)aad3b435[0-9a-f]{24}:[0-9a-f]{32}"),            # Windows
)
# fmt: on

_SHAPES = re.compile(r"[0-9a-f]{24}|-[0-9a-f]{12}:|[MNO][\w\-]{23,27}\.[\w\-]{6}\.|[\w\-]{6}\.[\w\-]{6}:")
"""What every row without a literal has."""


_TABLES: tuple[tuple[Kind, tuple[tuple[str, str], ...]], ...] = (("token", _TOKENS), ("password hash", _HASHES))
_FAR = 256
_HEAD = re.compile(r"\^?((?:[\w/=:!~\-]|\\[.$^]){1,40})(?![?*+{])")
_BEHIND = re.compile(r"\(\?<=((?:[\w/=:&\-]|\\\.){1,40})\)")
_SEPARATORS = frozenset("_-.|")
_MAY_BEGIN_WITH_SIGN = re.compile(r"\^\[[^\]]{0,40}(?:\\w|_|\\-|\+|~)")


class _Format(NamedTuple):
    """A row of a table: a pattern of a token, and what it is."""

    pattern: re.Pattern[str]
    kind: Kind
    begins_word: bool
    """Whether it begins where a word does, with a letter or a digit."""


class _Formats:
    """All rows, sorted by where in a text one may match; so that hardly any is searched for in all of it."""

    def __init__(self) -> None:
        self.at_word: dict[str, list[_Format]] = {}
        """By the first two letters of a word."""
        self.at_literal: dict[str, list[_Format]] = {}
        """By what they begin with."""
        self.behind_literal: dict[str, list[_Format]] = {}
        """By what stands before them."""
        self.near_literal: dict[str, list[_Format]] = {}
        """By something in the middle of them, or a little before them."""
        self.shaped: list[_Format] = []
        """Those without a literal."""
        for kind, table in _TABLES:
            for literals, pattern in table:
                begins_word = pattern.startswith("^") and not _MAY_BEGIN_WITH_SIGN.match(pattern)
                self._add(literals.split(), pattern, _Format(_compile_late(pattern), kind, begins_word))

    def _add(self, literals: list[str], pattern: str, row: _Format) -> None:
        begun = _HEAD.match(pattern)
        head = begun[1].replace("\\", "") if begun else ""
        if not literals:
            self.shaped.append(row)
            return
        if pattern.startswith("^") and len(head) > 1:
            literals, table = [head[:2]], self.at_word
        elif behind := _BEHIND.match(pattern):
            literals, table = [behind[1].replace("\\", "")], self.behind_literal
        elif head and all(literal.startswith(head) or head.startswith(literal) for literal in literals):
            table = self.at_literal
        else:
            table = self.near_literal
        for literal in literals:
            table.setdefault(literal, []).append(row)


def _compile_late(pattern: str) -> re.Pattern[str]:
    """Return the pattern of a row; that a word begins there is checked behind its first letter or class of letters."""
    if not pattern.startswith("^"):
        return compile_late(pattern)
    first = pattern.index("]") + 1 if pattern[1] == "[" else 2
    return compile_late(pattern[1:first] + BEGAN + pattern[first:])


_FORMATS = _Formats()


class _Prefix(NamedTuple):
    """A row of the table of prefixes."""

    prefix: str
    body: re.Pattern[str]
    rest: re.Pattern[str]
    """More of the same letters, in a token that is longer than a row asks for."""


def _sort_prefixes() -> tuple[dict[str, list[_Prefix]], dict[str, list[_Prefix]]]:
    """Sort the prefixes by what is before their first separator, and those that have none by their first letters."""
    by_opening: dict[str, list[_Prefix]] = {}
    by_head: dict[str, list[_Prefix]] = {}
    for prefix, letters, least, _ in _PREFIXES:
        row = _Prefix(prefix, compile_late(f"[{letters}]{{{least},{_FAR}}}+"), compile_late(f"[{letters}]*+"))
        separator = next((at for at, letter in enumerate(prefix) if letter in _SEPARATORS), -1)
        table, key = (by_opening, prefix[: separator + 1]) if separator >= 0 else (by_head, prefix[:2])
        table.setdefault(key, []).append(row)
    return by_opening, by_head


_BY_OPENING, _BY_HEAD = _sort_prefixes()


def find_tokens(text: str, words: str) -> Iterator[Span]:
    """Find tokens and hashes of known formats in a text; `words` are those of its words that are long enough."""
    starts = find_word_starts(text)
    spans = [
        *_match_at_words(text, starts),
        *_match_at_literals(text, words),
        *_match_near_literals(text, words, starts),
    ]
    spans += _find_prefixed(text, starts)
    return iter(sorted(spans))


def _match_at_words(text: str, starts: list[int]) -> Iterator[Span]:
    """Match the formats that are known by the first letters of a word."""
    ends: dict[re.Pattern[str], int] = {}
    rows_at = _FORMATS.at_word.get
    prefixes_at = _BY_HEAD.get
    for start in starts:
        head = text[start : start + 2]
        for pattern, kind, _ in rows_at(head, ()):
            if start >= ends.get(pattern, 0) and (match := pattern.match(text, start)):
                ends[pattern] = match.end()
                yield Span(start, match.end(), kind)
        for row in prefixes_at(head, ()):
            if start < ends.get(row.body, 0) or not text.startswith(row.prefix, start):
                continue
            if not _BEGINS.match(text, start):
                continue
            if body := row.body.match(text, start + len(row.prefix)):
                ends[row.body] = body.end()
                if is_random(body[0]):
                    yield Span(start, _end_of_run(text, body.end(), row), "token")


_BEGINS = compile_late(f".{BEGAN}", re.DOTALL)


def _match_at_literals(text: str, words: str) -> Iterator[Span]:
    """Match the formats that are known by what they begin with, or by what stands before them."""
    for table, offset in ((_FORMATS.at_literal, 0), (_FORMATS.behind_literal, 1)):
        for literal in filter(words.__contains__, table):
            positions = [at + offset * len(literal) for at in find_all(text, literal)]
            for pattern, kind, _ in table[literal]:
                for match in match_at(pattern, text, positions):
                    yield Span(*match.span(), kind)


def _match_near_literals(text: str, words: str, starts: list[int]) -> Iterator[Span]:
    """Match the formats that are known by something in the middle of them, or by their shape."""
    for literal in filter(words.__contains__, _FORMATS.near_literal):
        parts = [(at - _REACH, at + len(literal)) for at in find_all(text, literal)]
        yield from _match_within(text, _FORMATS.near_literal[literal], parts, starts)
    if _SHAPES.search(words):
        parts = [(shape.start() - _REACH, shape.end() + _REACH) for shape in _SHAPES.finditer(text)]
        yield from _match_within(text, _FORMATS.shaped, parts, starts)


def _match_within(text: str, rows: list[_Format], parts: list[tuple[int, int]], starts: list[int]) -> Iterator[Span]:
    """Match formats that begin in some parts of a text."""
    anywhere: list[int] = []
    at_words: list[int] = []
    seen = 0
    for first, last in parts:
        begin, seen = max(seen, first), max(seen, min(len(text), last) + 1)
        anywhere += range(begin, seen)
        at_words += starts[bisect_left(starts, begin) : bisect_left(starts, seen)]
    for pattern, kind, begins_word in rows:
        for match in match_at(pattern, text, at_words if begins_word else anywhere):
            yield Span(*match.span(), kind)


_REACH = 96
"""How far before a literal a format may begin."""


def _find_prefixed(text: str, starts: list[int]) -> Iterator[Span]:
    """Find what begins with a prefix and a separator, in one walk for all prefixes."""
    seen = 0
    if "$" in text:
        starts = sorted([*starts, *find_all(text, "$")])
    for start in starts:
        opening = _OPENING.match(text, start) if start >= seen else None
        for row in _BY_OPENING.get(opening[0], ()) if opening else ():
            body = row.body.match(text, start + len(row.prefix)) if text.startswith(row.prefix, start) else None
            if body is None or not _BEGINS.match(text, start):
                continue
            if is_random(body[0]):
                seen = _end_of_run(text, body.end(), row)
                yield Span(start, seen, "token")
            else:  # Nothing else that begins in it will look otherwise; and it may be long.
                seen = min(body.end(), start + _FAR)


_OPENING = re.compile(r"[A-Za-z$][A-Za-z0-9]{0,15}+[_\-.|]")
"""How a word begins that has a prefix with a separator."""


def _end_of_run(text: str, end: int, row: _Prefix) -> int:
    more = row.rest.match(text, end)
    return more.end() if more else end
