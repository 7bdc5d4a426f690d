"""The formats of tokens and keys that their makers gave a shape to be found by.

A row is the literals without which the pattern is not even tried, and the pattern; one without literals has a shape.
`^` stands for the beginning of a word, for formats whose first letters could be the last of something else. A format
with letters of its own needs none: it is found wherever it is glued. Lengths are lower than the makers', because
somebody may have cut the text before us.
"""

import re
from collections.abc import Iterator
from functools import cache

from errata._secrecy._edges import BEGAN
from errata._secrecy._marks import Kind, Span

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
    ("xox",           r"xox[a-z][\-.](?:xox[a-z]-)?[\w\-]{11,}"),
    ("xapp-",         r"xapp-[\w\-]{16,}"),
    ("xwfp-",         r"xwfp-[\w\-]{16,}"),
    ("hooks.slack",   r"(?<=hooks\.slack\.com)(?:\\?/|%2F)(?:services|workflows|triggers)(?:(?:\\?/|%2F)[A-Za-z0-9]+)+"),
    ("webhooks",      r"(?<=/webhooks/)\d{10,}/[\w\-]{20,}"),                 # Discord
    ("webhookb2",     r"(?<=/webhookb2/)[\w@\-]{20,}(?:/[\w\-]+)*"),          # Teams
    ("IncomingWebhook", r"(?<=/webhook/)[0-9a-f\-]{30,}@[0-9a-f\-]{30,}/IncomingWebhook/[\w\-/]{30,}"),
    ("hooks.zapier",  r"(?<=hooks\.zapier\.com/hooks/catch/)\d+/\w+"),
    ("make.com/",     r"(?<=\.make\.com/)[a-z0-9]{24,}"),
    ("/with/key/",    r"(?<=/with/key/)[\w\-]{20,}"),                         # IFTTT
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
    ("_live_",        r"^[a-z][a-z]{1,11}_live_(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{14,}"),
    ("_live_ _test_", r"(?:sk|rk|rzp|shippo|duffel|whsec)_(?:live|test)_[A-Za-z0-9_\-]{10,}"),
    ("v1= v0=",       r"^t=\d{9,13}(?:,\s?v[01]=[0-9a-f]{32,})+"),                # Stripe's signatures
    ("whsec_",        r"whsec_[A-Za-z0-9+/=]{16,}"),
    ("shpat_ shpca_ shppa_ shpss_ shpua_ shptka_", r"shp(?:at|ca|pa|ss|ua|tka)_[0-9a-fA-F]{24,}"),
    ("polar_oat_",    r"polar_oat_[A-Za-z0-9]{30,}"),
    ("sq0",           r"sq0[a-z]{3}-[\w\-]{20,}"),
    ("EAAA",          r"^EAAA[\w\-]{40,}"),
    ("EAA",           r"^EAA[A-Za-z0-9]{60,}"),                               # Facebook
    ("IGQ",           r"^IGQ[A-Za-z0-9_\-]{60,}"),
    ("access_token$", r"access_token\$[a-z]+\$[0-9a-z]{12,}\$[0-9a-f]{24,}"),
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
    ("infura.io/v3/", r"(?<=infura\.io/v3/)[0-9a-f]{28,}"),
    ("alchemy.com/v2/", r"(?<=alchemy\.com/v2/)[\w\-]{24,}"),
    ("sbp_",          r"^sbp_[0-9a-f]{30,}"),
    ("sb_secret_",    r"sb_secret_[\w\-]{16,}"),
    ("pscale_",       r"pscale_[a-z]+_[\w.=\-]{20,}"),
    ("napi_",         r"^napi_[a-z0-9]{30,}"),
    ("npg_",          r"^npg_[A-Za-z0-9]{12,}"),
    ("mdb_sa_",       r"mdb_sa_(?:sk|id)_[\w\-]{20,}"),
    ("pcsk_",         r"^pcsk_\w{30,}"),
    ("sk.eyJ",        r"^sk\.eyJ[\w.\-]{40,}"),                               # Mapbox
    ("sl.",           r"^sl\.[\w\-]{60,}"),                                   # Dropbox
    ("vk1.a.",        r"vk1\.a\.[\w\-]{40,}"),
    ("y0_",           r"^y0_[\w\-]{40,}"),
    ("AQVN",          r"^AQVN[\w\-]{30,}"),
    ("AAAAAAAAAA",    r"^AA{15,}[\w%]{40,}"),                                  # Twitter
    # Watching
    ("glsa_ glc_",    r"gl(?:sa|c)_[\w+/=]{24,}"),                            # Grafana
    ("NRAK- NRII- NRIQ- NRAA- NRRA- NRAL-", r"^NR(?:AK|II|IQ|AA|RA|AL)-[A-Za-z0-9\-]{20,}"),
    ("NRAL",          r"^[0-9a-f][0-9a-f]{35}NRAL"),
    ("sntry",         r"sntry[su]_[\w=+/.\-]{20,}"),
    ("hc",            r"^hc[a-z]{2,3}k_[a-z0-9]{30,}"),                       # Honeycomb
    ("dt0",           r"^dt0[a-z]\d\d\.[A-Z0-9]{20,}\.[A-Z0-9]{40,}"),
    ("phx_",          r"^phx_[A-Za-z0-9]{30,}"),
    ("sdk-",          r"^sdk-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    # Doors
    ("hvs. hvb. hvr.", r"hv[sbr]\.[\w\-]{20,}"),
    ("s. b. r.",      r"^[sbr]\.(?=[A-Za-z]{0,23}[0-9])[A-Za-z0-9]{24}(?![\w.])"),
    ("st.",           r"^st\.[0-9a-f\-]{24,36}\.[0-9a-f]{32,}\.[0-9a-f]{32,}"),  # Infisical
    ("SAMLResponse= SAMLRequest=", r"(?:(?<=SAMLResponse=)|(?<=SAMLRequest=))[\w%+/=\-]{40,}"),
    ("/invite/ /reset-password/ /magic/ /magic-link/",                        # Links that let in whoever has them
     r"(?:(?<=/invite/)|(?<=/reset-password/)|(?<=/magic/)|(?<=/magic-link/))(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9_]{24,}(?![\w\-])"),
    ("dp.",           r"^dp\.(?:pt|st|ct|scim|audit|sa|said)\.(?:[\w\-]+\.)?[A-Za-z0-9]{20,}"),
    ("ops_",          r"^ops_[\w=+/\-]{40,}"),
    ("A3-",           r"^A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){3,6}"),            # 1Password
    ("tskey-",        r"tskey-[a-z]+-[\w\-]{10,}"),
    ("secret-",       r"^secret-(?:(?:live|test)-[\w=\-]{20,}|[A-Za-z0-9]{30,})"),
    ("pul-",          r"^pul-[0-9a-f]{30,}"),
    (".atlasv1.",     r"^[A-Za-z0-9][A-Za-z0-9]{9,19}\.atlasv1\.[\w=\-]{40,}"),
    ("pnu_ pnb_",     r"^pn[ub]_[A-Za-z0-9]{30,}"),
    ("dnkey-",        r"dnkey-[\w=\-]{20,}"),
    # Models
    ("sk-",           r"sk-(?:ant|proj|svcacct|admin|None|or|lf|user)-[\w\-]{16,}"),
    ("sk-",           r"^sk-[A-Za-z0-9]{20,}[\w\-]*"),
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
    # A JSON Web Token, signed, encrypted or cut; a base64 of JSON without a dot is somebody's cursor.
    ("eyJ",           r"^e(?<!-.)yJ[\w\-]{8,}+={0,2}\.[\w\-=]{8,}(?:\.[\w\-=]*){0,3}"),
    ("ZXlK",          r"^ZXlK[A-Za-z0-9+/]{60,}={0,2}"),                      # One in base64 once more
    (".local. .public.", r"^v[1-4]\.(?:local|public)\.[\w\-]{40,}"),          # PASETO
)

_HASHES = (
    ("$2",            r"\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{20,}"),
    ("$argon2",       r"\$argon2[a-z]{1,2}\$[\w$=,+/.\-]{20,}"),
    ("$",             r"(?<![\w$])\$(?:1|5|6|7|y|gy|apr1|s0|sha1|md5|scrypt|bcrypt-sha256)\$[\w$=,+/.\-]{16,}"),
    ("pbkdf2",        r"\$?pbkdf2[\w\-:]{0,32}\$[\w$=+/.\-]{24,}"),
    ("scrypt:",       r"scrypt:\d+:\d+:\d+\$[\w$=+/.\-]{24,}"),
    ("SCRAM-SHA",     r"SCRAM-SHA-\d+\$\d+:[\w$=+/:\-]{24,}"),
    ("{SHA {SSHA",    r"\{S?SHA\d{0,3}\}[A-Za-z0-9+/]{20,}={0,2}"),
    ("md5",           r"^md5[0-9a-f]{32}(?![0-9a-f])"),                       # PostgreSQL
    ("*",             r"(?<![\w*])\*[0-9A-F]{40}(?![0-9A-Fa-f])"),            # MySQL
    (":aad3b435",     r"(?<=:)aad3b435[0-9a-f]{24}:[0-9a-f]{32}"),            # Windows
)
# fmt: on

_SHAPES = re.compile(r"[0-9a-f]{32}|[MNO][\w\-]{23,27}\.[\w\-]{6}\.")
"""What every row without a literal has."""


_TABLES: tuple[tuple[Kind, tuple[tuple[str, str], ...]], ...] = (("token", _TOKENS), ("password hash", _HASHES))


def _rows_by_literal() -> dict[str, list[tuple[str, Kind]]]:
    rows: dict[str, list[tuple[str, Kind]]] = {}
    for kind, table in _TABLES:
        for literals, pattern in table:
            for literal in literals.split() or [""]:
                rows.setdefault(literal, []).append((pattern, kind))
    return rows


_ROWS = _rows_by_literal()
_SHAPELY = _ROWS.pop("")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a row; whether a word began is asked behind its first letter, or the first class of letters."""
    if not pattern.startswith("^"):
        return re.compile(pattern)
    first = pattern.index("]") + 1 if pattern[1] == "[" else 2
    return re.compile(pattern[1:first] + BEGAN + pattern[first:])


def tokens(text: str, words: str) -> Iterator[Span]:
    """Find tokens and hashes of known formats in a text; `words` are those of its words that are long enough."""
    rows = dict.fromkeys(row for literal in filter(words.__contains__, _ROWS) for row in _ROWS[literal])
    if _SHAPES.search(words):
        rows |= dict.fromkeys(_SHAPELY)
    found = [Span(*match.span(), kind) for pattern, kind in rows for match in _compiled(pattern).finditer(text)]
    return iter(sorted(found))
