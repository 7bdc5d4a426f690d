"""Lines as programs write them: with a secret in them, and with something that only looks like one.

No secret here is anybody's: a template names the kind of secret, and a test fills in a random one.
"""

import random
import string
from base64 import b64encode

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
BASE64 = ALNUM + "+/"
WORDS = ("harbor", "granite", "maple", "onyx", "cobalt", "willow", "tundra", "basil", "quartz", "ember")


def run(rng, letters, length):
    """Make a word that has a digit, as nearly all random ones have."""
    word = "".join(rng.choice(letters) for _ in range(length - 1))
    place = rng.randrange(length)
    return word[:place] + rng.choice("23456789") + word[place:]


def password(rng):
    return rng.choice(
        [
            lambda: run(rng, ALNUM, 12),
            lambda: rng.choice(WORDS) + str(rng.randrange(1000, 9999)),
            lambda: "-".join(rng.sample(WORDS, 3)),
            lambda: rng.choice(WORDS).title() + str(rng.randrange(100, 999)) + rng.choice("!*?+=_^~") + rng.choice(WORDS),
            lambda: run(rng, ALNUM, 6) + rng.choice("!#$%*?~^") + run(rng, ALNUM, 7),
        ]
    )()


def uuid(rng):
    digits = run(rng, HEX, 32)
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def jwt(rng):
    parts = ('{"alg":"HS256","kid":"%s"}' % run(rng, ALNUM, 8), '{"sub":"%s","exp":1799999999}' % run(rng, ALNUM, 10))
    head, body = (b64encode(part.encode()).decode().rstrip("=").replace("+", "-").replace("/", "_") for part in parts)
    return f"{head}.{body}.{run(rng, ALNUM + '-_', 43)}"


def card(rng):
    digits = rng.choice(["4", "51", "37", "6011", "2223"])
    length = 15 if digits == "37" else 16
    digits += "".join(rng.choice(string.digits) for _ in range(length - 1 - len(digits)))
    total = sum(sum(divmod(int(d) * (2 - i % 2), 10)) for i, d in enumerate(reversed(digits)))
    return digits + str(-total % 10)


def iban(rng):
    country, length = rng.choice([("DE", 22), ("FR", 27), ("GB", 22), ("NL", 18), ("ES", 24)])
    body = "".join(rng.choice(string.digits) for _ in range(length - 4))
    check = 98 - int("".join(str(int(c, 36)) for c in body + country + "00")) % 97
    return f"{country}{check:02}{body}"


def ssn(rng):
    return f"{rng.randrange(100, 665)}-{rng.randrange(10, 99)}-{rng.randrange(1000, 9999)}"


def email(rng):
    name = rng.choice(WORDS) + rng.choice([".", "_", "", "+"]) + rng.choice(WORDS)
    return name + "@" + rng.choice(WORDS) + rng.choice([".com", ".example.org", ".co.uk", "-labs.io"])


def ip(rng):
    return f"{rng.choice([5, 31, 81, 93, 145, 203, 217])}.{rng.randrange(1, 255)}.{rng.randrange(1, 255)}.{rng.randrange(1, 255)}"


def ipv6(rng):
    return f"2a0{rng.choice('1234')}:{run(rng, HEX, 4)}:{run(rng, HEX, 4)}::{run(rng, HEX, 4)}"


def phone(rng):
    tail = "".join(rng.choice(string.digits) for _ in range(7))
    return rng.choice([f"+49 171 {tail}", f"+1 212-555-{tail[:4]}", f"+33612{tail}", f"(415) 555-{tail[:4]}", f"+44 20 {tail[:4]} {tail[3:]}"])


# fmt: off
TOKENS = {
    "aws": lambda r: "AK" + "IA" + run(r, string.ascii_uppercase + "234567", 16),
    "github": lambda r: "gh" + r.choice("pousr") + "_" + run(r, ALNUM, 36),
    "github_fine": lambda r: "github_" + "pat_" + run(r, ALNUM, 22) + "_" + run(r, ALNUM, 59),
    "gitlab": lambda r: "gl" + "pat-" + run(r, ALNUM + "-_", 20),
    "slack": lambda r: "xo" + "xb-" + run(r, string.digits, 12) + "-" + run(r, string.digits, 12) + "-" + run(r, ALNUM, 24),
    "stripe": lambda r: "sk_" + "live_" + run(r, ALNUM, 24),
    "whsec": lambda r: "wh" + "sec_" + run(r, ALNUM, 32),
    "openai": lambda r: "sk-" + "proj-" + run(r, ALNUM + "-_", 48),
    "openai_old": lambda r: "sk-" + run(r, ALNUM, 48),
    "anthropic": lambda r: "sk-" + "ant-api03-" + run(r, ALNUM + "-_", 90),
    "openrouter": lambda r: "sk-" + "or-v1-" + run(r, HEX, 64),
    "google": lambda r: "AI" + "za" + run(r, ALNUM + "-_", 35),
    "google_oauth": lambda r: "ya" + "29." + run(r, ALNUM + "-_", 80),
    "google_client": lambda r: "GOC" + "SPX-" + run(r, ALNUM + "-_", 28),
    "hf": lambda r: "hf" + "_" + run(r, string.ascii_letters, 34),
    "npm": lambda r: "np" + "m_" + run(r, ALNUM, 36),
    "pypi": lambda r: "py" + "pi-AgEIcHlwaS5vcmc" + run(r, ALNUM + "-_", 70),
    "docker": lambda r: "dckr" + "_pat_" + run(r, ALNUM + "-_", 27),
    "digitalocean": lambda r: "do" + "o_v1_" + run(r, HEX, 64),
    "sendgrid": lambda r: "SG" + "." + run(r, ALNUM + "-_", 22) + "." + run(r, ALNUM + "-_", 43),
    "twilio": lambda r: "SK" + run(r, HEX, 32),
    "mailgun": lambda r: "key" + "-" + run(r, HEX, 32),
    "mailchimp": lambda r: run(r, HEX, 32) + "-us" + str(r.randrange(1, 22)),
    "telegram": lambda r: str(r.randrange(10**9, 9 * 10**9)) + ":AA" + run(r, ALNUM + "-_", 33),
    "discord": lambda r: "M" + run(r, ALNUM, 23) + "." + run(r, ALNUM, 6) + "." + run(r, ALNUM + "-_", 38),
    "shopify": lambda r: "shp" + "at_" + run(r, HEX, 32),
    "square": lambda r: "sq0" + "atp-" + run(r, ALNUM + "-_", 22),
    "databricks": lambda r: "da" + "pi" + run(r, HEX, 32),
    "doppler": lambda r: "dp" + ".st.prd." + run(r, ALNUM, 40),
    "vault": lambda r: "hv" + "s." + run(r, ALNUM, 24),
    "linear": lambda r: "lin" + "_api_" + run(r, ALNUM, 40),
    "notion": lambda r: "nt" + "n_" + run(r, ALNUM, 46),
    "figma": lambda r: "fig" + "d_" + run(r, ALNUM + "-_", 40),
    "airtable": lambda r: "pat" + run(r, ALNUM, 14) + "." + run(r, HEX, 64),
    "atlassian": lambda r: "ATA" + "TT3xFfGF0" + run(r, ALNUM + "-_", 60) + "=" + run(r, HEX.upper(), 8),
    "azure_client": lambda r: run(r, ALNUM, 3) + "8Q~" + run(r, ALNUM + "_~.-", 34),
    "supabase": lambda r: "sb" + "p_" + run(r, HEX, 40),
    "fly": lambda r: "fo1" + "_" + run(r, ALNUM + "-_", 43),
    "grafana": lambda r: "gl" + "sa_" + run(r, ALNUM, 32) + "_" + run(r, HEX, 8),
    "newrelic": lambda r: "NR" + "AK-" + run(r, string.ascii_uppercase + string.digits, 27),
    "sentry": lambda r: "sn" + "trys_" + run(r, ALNUM, 60),
    "postman": lambda r: "PM" + "AK-" + run(r, HEX, 24) + "-" + run(r, HEX, 34),
    "pulumi": lambda r: "pu" + "l-" + run(r, HEX, 40),
    "terraform": lambda r: run(r, ALNUM, 14) + ".atlas" + "v1." + run(r, ALNUM + "-_", 67),
    "planetscale": lambda r: "pscale" + "_tkn_" + run(r, ALNUM + "-_", 43),
    "replicate": lambda r: "r8" + "_" + run(r, ALNUM, 37),
    "groq": lambda r: "gs" + "k_" + run(r, ALNUM, 52),
    "perplexity": lambda r: "pp" + "lx-" + run(r, HEX, 48),
    "xai": lambda r: "xa" + "i-" + run(r, ALNUM, 80),
    "tailscale": lambda r: "ts" + "key-auth-" + run(r, ALNUM, 12) + "-" + run(r, ALNUM, 32),
    "onepassword": lambda r: "op" + "s_eyJ" + run(r, ALNUM, 200),
    "bcrypt": lambda r: "$2" + "b$12$" + run(r, ALNUM + "./", 53),
    "argon2": lambda r: "$argon2" + "id$v=19$m=65536,t=3,p=4$" + run(r, BASE64, 22) + "$" + run(r, BASE64, 43),
    "jwt": jwt,
    "made_up_maker": lambda r: "acme" + "_live_" + run(r, ALNUM, 32),
}
PERSONAL = {"card": card, "iban": iban, "ssn": ssn, "email": email, "ip": ip, "ipv6": ipv6, "phone": phone}
OTHERS = {
    "password": password,
    "hex": lambda r: run(r, HEX, 32),
    "random": lambda r: run(r, ALNUM, 40),
    "base64": lambda r: run(r, BASE64, 44),
    "aws_secret": lambda r: run(r, BASE64, 40),
    "uuid": uuid,
    "basic": lambda r: b64encode(f"svc:{password(r)}".encode()).decode(),
    "code": lambda r: str(r.randrange(100_000, 999_999)),
}
# fmt: on
MAKERS = TOKENS | PERSONAL | OTHERS


def filled(template, rng):
    """Fill every `{kind}` of a template; give the line, and what may not survive in it."""
    secrets = []
    for kind, make in MAKERS.items():
        while "{" + kind + "}" in template:
            secrets.append(make(rng))
            template = template.replace("{" + kind + "}", secrets[-1], 1)
    return template, secrets


def survives(secret, text):
    """Whether a secret, or half of it, is still there."""
    length = max(8, len(secret) // 2)
    return any(secret[at : at + length] in text for at in range(max(1, len(secret) - length + 1)))


# A template, and what has to stay. Every one is run with several random secrets.
# fmt: off
DIRTY = [
    # Databases
    ("psql: error: connection to server at \"db1\" failed: postgres://app:{password}@db1.internal:5432/core?sslmode=require", ["db1.internal:5432/core"]),
    ("could not connect: host=db1 port=5432 user=app password={password} dbname=core", ["host=db1", "dbname=core"]),
    ("could not connect: host=db1 user=app password='{password}' dbname=core", ["dbname=core"]),
    ("dial tcp: invalid DSN: root:{password}@tcp(10.0.0.5:3306)/crm?parseTime=true", ["tcp(10.0.0.5:3306)/crm"]),
    ("java.sql.SQLException: jdbc:mysql://db2:3306/crm?user=root&password={password}&useSSL=false", ["db2:3306/crm", "useSSL=false"]),
    ("jdbc:sqlserver://sql1:1433;databaseName=erp;user=sa;password={password};encrypt=true", ["databaseName=erp", "encrypt=true"]),
    ("jdbc:oracle:thin:scott/{password}@//ora1:1521/ORCL", ["//ora1:1521/ORCL"]),
    ("Server=tcp:sql1,1433;Initial Catalog=erp;User ID=etl;Password={password};Encrypt=True;", ["Initial Catalog=erp", "Encrypt=True"]),
    ("Driver={PostgreSQL};Server=db1;Uid=svc;Pwd={password};", ["Server=db1"]),
    ("redis.exceptions.ConnectionError: Error connecting to rediss://default:{password}@cache.internal:6380/1", ["cache.internal:6380/1"]),
    ("celery broker amqp://guest:{password}@mq-1:5672// is unreachable", ["mq-1:5672//"]),
    ("MongoParseError: mongodb://admin:{password}@m1:27017,m2:27017/?replicaSet=rs0", ["m1:27017,m2:27017", "replicaSet=rs0"]),
    ("clickhouse://default:{password}@ch:9000/logs timed out", ["@ch:9000/logs"]),
    ("Elasticsearch(['https://elastic:{password}@es1:9200'])", ["es1:9200"]),
    ("ALTER USER app WITH PASSWORD '{password}'; -- failed", ["ALTER USER app"]),
    ("CREATE USER 'app'@'%' IDENTIFIED BY '{password}'", ["CREATE USER"]),
    ("neo4j+s://neo4j:{password}@x1.databases.neo4j.io", ["x1.databases.neo4j.io"]),
    ("snowflake.connector.errors.DatabaseError: snowflake://svc:{password}@acme-eu/DB/PUBLIC?warehouse=WH", ["acme-eu/DB/PUBLIC"]),
    ("DETAIL: Failing row contains (7, bob, {bcrypt}, 2026-01-01).", ["2026-01-01"]),
    ("DETAIL: Failing row contains (7, bob, {argon2}, t).", ["bob"]),
    ("DETAIL:  Key (email)=({email}) already exists.", ["already exists"]),
    ("DETAIL:  Key (api_token)=({random}) already exists.", ["already exists"]),
    # Environments and configurations
    ("DB_PASSWORD={password}", ["DB_PASSWORD"]),
    ("export AWS_SECRET_ACCESS_KEY={aws_secret}", ["export AWS_SECRET_ACCESS_KEY"]),
    ("AWS_ACCESS_KEY_ID={aws}\nAWS_SECRET_ACCESS_KEY={aws_secret}\nAWS_REGION=eu-west-1\n", ["AWS_REGION=eu-west-1"]),
    ("DATADOG_API_KEY={hex} DD_SITE=datadoghq.eu", ["DD_SITE=datadoghq.eu"]),
    ("STRIPE_KEY={stripe}\nPORT=8080", ["PORT=8080"]),
    ("MY_SERVICE_KEY={random} DEBUG=1", ["DEBUG=1"]),
    ("spring.datasource.password={password}\nspring.datasource.username=app", ["spring.datasource.username=app"]),
    ("quarkus.oidc.credentials.secret={random}", ["quarkus.oidc.credentials.secret"]),
    ("[database]\nuser = app\npassword = {password}\nport = 5432", ["port = 5432"]),
    ("password: {password}\nport: 5432", ["port: 5432"]),
    ("  api_key: \"{random}\"\n  region: eu", ["region: eu"]),
    ("- name: DB_PASSWORD\n  value: {password}\n- name: DB_HOST\n  value: db1", ["value: db1"]),
    ("{\"name\":\"API_TOKEN\",\"value\":\"{random}\"},{\"name\":\"LOG\",\"value\":\"info\"}", ["\"value\":\"info\""]),
    ("<add key=\"ApiKey\" value=\"{random}\" /><add key=\"Region\" value=\"eu\" />", ["value=\"eu\""]),
    ("<password>{password}</password><host>db1</host>", ["<host>db1</host>"]),
    ("<connection user=\"app\" password=\"{password}\" host=\"db1\"/>", ["host=\"db1\""]),
    ("//npm.example.org/:_authToken={npm}", ["npm.example.org"]),
    ("machine api.github.com login bob password {github}", ["machine api.github.com login bob"]),
    ("token = \"{random}\"  # toml", ["# toml"]),
    ("connectionString: 'Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKeyName=root;SharedAccessKey={base64}='", ["acme.servicebus.windows.net", "SharedAccessKeyName=root"]),
    ("AccountEndpoint=https://acme.documents.azure.com:443/;AccountKey={base64}==;", ["acme.documents.azure.com:443"]),
    ("PrivateKey = {base64}\nAddress = 10.8.0.2/32", ["Address = 10.8.0.2/32"]),
    ("client_secret: {azure_client}", ["client_secret"]),
    ("the secret is {azure_client}, rotate it", ["rotate it"]),
    # HTTP
    ("GET /v1/items HTTP/1.1\r\nHost: api.acme.io\r\nAuthorization: Bearer {random}\r\nAccept: */*", ["Host: api.acme.io", "Accept: */*"]),
    ("> Authorization: Basic {basic}\n> User-Agent: curl/8.5.0", ["User-Agent: curl/8.5.0"]),
    ("> X-Api-Key: {hex}\n> Accept: */*", ["Accept: */*"]),
    ("headers: {'x-auth-token': '{random}', 'accept': 'application/json'}", ["'accept': 'application/json'"]),
    ("headers=[(b'host', b'api.acme.io'), (b'authorization', b'Bearer {random}')]", ["api.acme.io"]),
    ("Headers({'host': 'api.acme.io', 'authorization': 'Bearer {random}'})", ["api.acme.io"]),
    ("Proxy-Authorization: Basic {basic}", ["Proxy-Authorization: Basic"]),
    ("authorization: Token {hex}", ["authorization: Token"]),
    ("authorization: ApiKey {base64}", ["authorization: ApiKey"]),
    ("Authorization: AWS4-HMAC-SHA256 Credential={aws}/20260101/eu-west-1/s3/aws4_request, SignedHeaders=host;x-amz-date, Signature={hex}", ["AWS4-HMAC-SHA256"]),
    ("Authorization: Digest username=\"bob\", realm=\"x\", nonce=\"1\", uri=\"/\", response=\"{hex}\"", ["Digest"]),
    ("Cookie: lang=de; session={random}; theme=light", ["lang=de", "theme=light"]),
    ("Set-Cookie: JSESSIONID={hex}; Path=/app; Secure", ["Path=/app"]),
    ("set-cookie: auth_token={jwt}; Max-Age=3600; HttpOnly", ["Max-Age=3600"]),
    ("GET https://api.acme.io/v1?access_token={random}&page=2 -> 403", ["api.acme.io/v1", "page=2", "403"]),
    ("GET https://maps.example.com/geo?q=berlin&key={google} 403", ["q=berlin"]),
    ("requests.exceptions.HTTPError: 401 Client Error for url: https://api.acme.io/items?apikey={hex}&limit=5", ["limit=5"]),
    ("HTTPSConnectionPool(host='api.telegram.org', port=443): Max retries exceeded with url: /bot{telegram}/getMe", ["api.telegram.org", "getMe"]),
    ("POST /oauth/token grant_type=refresh_token&refresh_token={random}&client_id=web", ["client_id=web"]),
    ("POST /login username=bob&password={password}&remember=1", ["username=bob", "remember=1"]),
    ("POST /users user%5Bpassword%5D={password}&user%5Bname%5D=bob", ["bob"]),
    ("callback?code={random}&state=abc", ["state=abc"]),
    ("https://acct.blob.core.windows.net/c/f.txt?sp=r&sig={base64}%3D&se=2026", ["acct.blob.core.windows.net/c/f.txt"]),
    ("https://b.s3.amazonaws.com/k?X-Amz-Security-Token={random}&X-Amz-Expires=60", ["X-Amz-Expires=60"]),
    ("https://storage.googleapis.com/b/o?X-Goog-Signature={hex}{hex}&X-Goog-Expires=60", ["storage.googleapis.com/b/o"]),
    ("https://d111.cloudfront.net/a.mp4?Expires=1&Signature={random}~&Key-Pair-Id=K2", ["d111.cloudfront.net/a.mp4"]),
    ("<-- 200 {\"access_token\":\"{random}\",\"token_type\":\"Bearer\",\"expires_in\":3599}", ["\"token_type\":\"Bearer\"", "\"expires_in\":3599"]),
    ("mcp-session-id: {uuid}", ["mcp-session-id"]),
    ("curl: (22) curl -u admin:{password} https://nexus.acme.io/repo", ["nexus.acme.io/repo"]),
    ("curl --user admin:{password} https://nexus.acme.io/repo failed", ["nexus.acme.io/repo"]),
    ("curl -H \"Authorization: Bearer {random}\" https://api.acme.io", ["https://api.acme.io"]),
    ("Error: Request failed with status code 401 config: {\"headers\":{\"Authorization\":\"Bearer {random}\",\"User-Agent\":\"axios/1.6\"}}", ["axios/1.6"]),
    ("https://{hex}@o447951.ingest.sentry.io/5429219", ["ingest.sentry.io/5429219"]),
    ("grpc: metadata map[:authority:[a.io] authorization:[Bearer {random}]]", ["a.io"]),
    # Commands
    ("fatal: unable to access 'https://x-access-token:{github}@github.com/acme/infra.git/': 403", ["github.com/acme/infra.git", "403"]),
    ("remote: https://bob:{password}@git.acme.io/infra.git", ["git.acme.io/infra.git"]),
    ("git clone https://{github}@github.com/acme/infra.git", ["github.com/acme/infra.git"]),
    ("pip install --index-url https://__token__:{password}@pypi.acme.io/simple requests", ["pypi.acme.io/simple"]),
    ("Looking in indexes: https://user:{password}@pkgs.acme.io/simple", ["pkgs.acme.io/simple"]),
    ("docker login -u bob -p {password} ghcr.io failed", ["ghcr.io"]),
    ("mysql -h db1 -u root -p{password} crm", ["mysql -h db1"]),
    ("mysqldump --password={password} crm", ["mysqldump"]),
    ("sshpass -p {password} ssh bob@10.0.0.1", ["10.0.0.1"]),
    ("redis-cli -h cache -a {password} ping", ["ping"]),
    ("PGPASSWORD={password} psql -h db1", ["psql -h db1"]),
    ("ansible: {\"cmd\": [\"htpasswd\", \"--password\", \"{password}\", \"-n\"]}", ["htpasswd"]),
    ("CalledProcessError: Command '['vault', 'login', '--token', '{vault}']' returned 2", ["returned 2"]),
    ("helm upgrade web ./chart --set auth.password={password} --set replicas=2", ["replicas=2"]),
    ("kubectl create secret generic db --from-literal=password={password}", ["kubectl create secret"]),
    ("aws configure set aws_secret_access_key {aws_secret}", ["aws configure set"]),
    ("openssl rsa -in key.pem -passin pass:{password}", ["key.pem"]),
    ("terraform: Error: invalid value for var.db_password: \"{password}\"", ["invalid value"]),
    ("+ export TOKEN={random}", ["export TOKEN"]),
    ("az login --service-principal -u app -p {azure_client} --tenant t1", ["--tenant t1"]),
    ("java -Djavax.net.ssl.keyStorePassword={password} -jar app.jar", ["-jar app.jar"]),
    # Reprs and tracebacks
    ("Config(host='db1', password='{password}', port=5432)", ["host='db1'", "port=5432"]),
    ("Settings(db=Database(user='app', pwd='{password}'))", ["user='app'"]),
    ("ConnectionParams(user='app', Password(value='{password}'))", ["user='app'"]),
    ("TypeError: login() got multiple values {'user': 'bob', 'passwd': '{password}'}", ["'user': 'bob'"]),
    ("KeyError in {\"credentials\": {\"apiKey\": \"{random}\", \"apiSecret\": \"{random}\"}}", ["credentials"]),
    ("{'auth': ('bob', '{random}'), 'timeout': 5}", ["'timeout': 5"]) if False else ("{'token': '{random}', 'timeout': 5}", ["'timeout': 5"]),
    ("    client = Client(api_key=\"{random}\", timeout=5)", ["timeout=5"]),
    ("    conn = connect(host, password=\"{password}\")", ["conn = connect(host"]),
    ("locals: user='bob', password='{password}', attempt=3", ["attempt=3"]),
    ("{\"message\": \"{\\\"password\\\":\\\"{password}\\\",\\\"user\\\":\\\"bob\\\"}\"}", ["bob"]),
    ("{\"log\":\"{\\\\\\\"token\\\\\\\":\\\\\\\"{random}\\\\\\\",\\\\\\\"id\\\\\\\":7}\\n\"}", ["stream"] if False else ["id"]),
    ("payload=%7B%22password%22%3A%22{password}%22%2C%22id%22%3A7%7D", ["id"]),
    ("{\"stderr\":\"login failed\\npassword={password}\\nuser=bob\"}", ["user=bob"]),
    ("user=bob\\npassword: {password}\\nport: 1", ["port: 1"]),
    ("ValidationError: 1 validation error for Login\\npassword\\n  input_value='{password}'", ["validation error"]) if False else ("login failed (password='{password}')", ["login failed"]),
    ("&{User:bob Password:{password} Port:22}", ["Port:22"]),
    ("ActionController: Parameters: {\"user\"=>{\"password\"=>\"{password}\", \"name\"=>\"bob\"}}", ["\"name\"=>\"bob\""]),
    ("struct Login { user: \"bob\", password: \"{password}\" }", ["user: \"bob\""]),
    ("array(2) { [\"user\"]=> string(3) \"bob\" } $db['password'] = '{password}';", ["bob"]),
    ("password => '{password}', host => 'db1'", ["host => 'db1'"]),
    ("PWD={password};UID=sa", ["UID=sa"]),
    ("secretKey: {random}, region: eu", ["region: eu"]),
    ("clientSecret={random}", ["clientSecret"]),
    ("accessToken: '{random}'", ["accessToken"]),
    ("refreshToken\":\"{random}\"", ["refreshToken"]),
    ("x-amz-security-token:{random}", ["x-amz-security-token"]),
    ("webhook_secret = {random}", ["webhook_secret"]),
    ("otp={code} accepted", ["accepted"]),
    ("verification_code: {code}", ["verification_code"]),
    ("encryption_key='{base64}'", ["encryption_key"]),
    ("SECRET_KEY_BASE={hex}{hex}", ["SECRET_KEY_BASE"]) if False else ("SECRET_KEY={hex}{hex}", ["SECRET_KEY"]),
    ("django.core SECRET_KEY = 'django-insecure-{random}'", ["SECRET_KEY"]),
    ("csrf_token={random}", ["csrf_token"]),
    ("csrfmiddlewaretoken={random}&next=/", ["next=/"]),
    # Sentences
    ("Incorrect API key provided: {openai_old}. You can find your API key at https://platform.example.com.", ["You can find"]),
    ("The access token '{random}' has expired", ["has expired"]),
    ("invalid token {random}", ["invalid token"]),
    ("API key {hex} is disabled", ["is disabled"]),
    ("{random} is not a valid API key", ["is not a valid API key"]),
    ("login with password '{password}' was rejected" if False else "login with password 'Hb7{code}x' was rejected", ["was rejected"]),
    ("your new password is Zx{code}q", ["your new password is"]),
    ("Bearer {random} was refused", ["was refused"]),
    ("user {email} is not allowed", ["is not allowed"]),
    ("mail to <{email}> bounced", ["bounced"]),
    ("To: {email}, Subject: hi", ["Subject: hi"]),
    ("mailto:{email}", ["mailto:"]),
    ("sent to {phone} by sms", ["by sms"]),
    ("phone={phone}", ["phone"]),
    ("card {card} declined", ["declined"]),
    ("pan: {card}, cvv: 123", []),
    ("IBAN {iban} rejected", ["rejected"]),
    ("ssn {ssn} is taken", ["is taken"]),
    ("{ip} - - [10/Oct/2026:13:55:36 +0000] \"GET /apache_pb.gif HTTP/1.0\" 200 2326", ["10/Oct/2026:13:55:36 +0000", "2326"]),
    ("connection from {ip}:51022 refused", ["51022", "refused"]),
    ("peer [{ipv6}]:443 reset", ["443 reset"]),
    ("X-Forwarded-For: {ip}, 10.0.0.7", ["10.0.0.7"]),
    ("remote_addr={ip} status=200", ["status=200"]),
    ("client {ip} blocked; contact {email}", ["blocked"]),
    ("Überraschung: kennwort={password} für {email}", ["für"]),
    ("令牌={random} token={random}。", ["令牌"]) if False else ("失败: token={random}。", ["失败"]),
]
CLEAN = [
    # About secrets
    "password authentication failed for user \"app\"", "Invalid password", "The password must have at least 12 characters",
    "password: must contain a digit", "{\"password\": [\"This field is required.\"]}", "{\"errors\": {\"password\": \"is too short\"}}",
    "password=<hidden>", "password=********", "password: ****", "token=[REDACTED]", "api_key=${API_KEY}", "secret={{ secret }}",
    "PASSWORD=$DB_PASSWORD", "password=%s", "authorization: [Filtered]", "Authorization: Bearer <token>", "token: null", "token=None",
    "\"password\": null", "\"secret\": \"\"", "password_required: true", "has_password=True", "password_length=12", "password_changed_at=2026-01-01",
    "token_count=512", "max_tokens: 4096", "tokens: 512", "prompt_tokens=12, completion_tokens=900, total_tokens=912", "usage: input_tokens=1044",
    "token expired", "Token has been revoked", "invalid token", "Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON", "Unexpected token: punc (})",
    "unexpected end of token stream", "token type: bearer", "token_type=bearer", "token_endpoint=https://idp.example.com/oauth/token",
    "secret not found: prod/db", "secrets \"db-credentials\" not found", "Secret db/creds has no key username", "missing secret",
    "The API key is missing", "API key not valid. Please pass a valid API key.", "No API key provided.", "api_key is required",
    "KeyError: 'api_key'", "KeyError: 'password'", "missing 1 required keyword-only argument: 'token'", "unexpected keyword argument 'api_key'",
    "fields: ['password', 'username', 'token']", "required: [\"client_id\", \"client_secret\"]", "environment variable GITHUB_TOKEN is not set",
    "set GITHUB_TOKEN and try again", "pass --token or set TOKEN", "use --password-stdin", "--api-key is required", "usage: tool [--token TOKEN]",
    "    password=self.password,", "    token = os.environ[\"TOKEN\"]", "    api_key=settings.API_KEY, timeout=5", "    return get_secret(\"db-password\")",
    "    auth = HTTPBasicAuth(user, password)", "    def login(self, user: str, password: str) -> None:", "    token: str | None = None", "    password: Optional[str] = None",
    "    headers={\"Authorization\": f\"Bearer {token}\"}", "    key=lambda item: item.name", "sorted(rows, key=len)",
    "Basic authentication is disabled", "Bearer authentication required", "WWW-Authenticate: Bearer realm=\"api\", error=\"invalid_token\"",
    "auth_method=oauth2", "auth: none", "auth=basic", "session expired", "session=active", "session timeout: 30", "session_timeout=1800",
    "cookie not set", "cookies: enabled", "Set-Cookie header ignored", "csrf token missing", "CSRF verification failed. Request aborted.",
    "signature mismatch", "signature: invalid", "sig=bad", "PIN is locked", "pin: false", "otp expired", "cvv must be 3 digits", "card expired",
    "author: Jane", "author=jane", "authored by bob", "keyboard: us", "monkey: banana", "turkey=closed", "key: value", "key=name", "keys: 14",
    "primary_key=id", "foreign_key: user_id", "cache_key=user:17:profile", "sort_key=created_at", "partition_key=eu-west-1", "public_key=MFkwEwYHKoZIzj0CAQ",
    "passed: 14, failed: 2", "pass=14 fail=2", "passes: 3", "compass: north", "bypass=true", "passenger: 3", "passport number is invalid",
    "secretary: Ann", "tokenizer=cl100k_base", "tokenize: 12ms", "credentials: include", "credential provider chain exhausted", "no credentials found",
    "Phone number is invalid", "phone: required", "email: is not a valid address", "email must contain @", "code=ERR_BAD_REQUEST", "exit code: 137",
    "country_code=DE", "status_code=404", "error code 1045 (28000)", "code: -32602", "?code=404&page=2", "zip code 10115 not served",
    # Identifiers
    "order 0040969641554475 not found", "order 9241554475096964", "ORD-33562489", "invoice INV-2026-000123", "ticket #482913", "PMID 38052113",
    "doi:10.1038/s41586-020-2649-2", "arXiv:2104.08663v2", "ISBN 978-3-16-148410-0", "ISBN 3161484100", "EAN 4006381333931", "IMO 9074729",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8", "HEAD is now at 4b6c634", "etag \"33a64df551425fcc55e4d42a148795d9f25f89d4\"",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "md5: d41d8cd98f00b204e9800998ecf8427e", "integrity sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC",
    "trace_id=4bf92f3577b34da6a3ce929d0e0e4736 span_id=00f067aa0ba902b7", "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "X-Request-Id: 7f3c2d1a-9b1e-4c58-9a52-6d0c1f0f7a11", "x-amzn-RequestId: 1b4d2c3e-0f8c-4c58-9a52-6d0c1f0f7a11", "cf-ray: 7d3c2f1a9b1e4c58-FRA",
    "request_id=req_011CQ8zTn4vYx2", "correlation_id: 0f8c6f8e-3b1d-4c58-9a52-6d0c1f0f7a11", "idempotency-key: 550e8400-e29b-41d4-a716-446655440000",
    "cus_NffrFeUfNV2Hib", "pi_3MtwBwLkdIwHu7ix28a3tqPa", "acct_1032D82eZvKYlo2C", "chatcmpl-8mVn2hQ7dYx1a", "msg_01XFDUDYJgAACzvnptvVoYEL",
    "progressToken: \"kr79oz7CURsA\"", "\"nextCursor\": \"eyJvZmZzZXQiOjEwMH0=\"", "nextPageToken=CAUQAA81hskd92ksla", "continuation_token=QmFzZTY0VG9rZW4x",
    "arn:aws:iam::123456789012:role/app", "arn:aws:sns:eu-west-1:123456789012:topic", "projects/acme-prod/secrets/db/versions/3", "i-0abcd1234efgh5678",
    "subnet-0bb1c79de3EXAMPLE", "vpc-1a2b3c4d", "ami-0c55b159cbfafe1f0", "pod web-7d4b9c6f5d-x2x7k evicted", "container 3f4e5d6c7b8a exited", "image nginx:1.25.3",
    "gs://acme-data/2026/11/part-00012.parquet", "s3://acme-logs/AWSLogs/123456789012/", "/var/run/secrets/kubernetes.io/serviceaccount/token", "/etc/ssl/private/server.key",
    "C:\\Users\\svc\\AppData\\Local\\key.pem", "file:///home/app/.ssh/id_rsa.pub", "node_modules/@babel/core@7.23.0", "lodash@4.17.21", "@types/node@20.1.0",
    "git@gitlab.com:acme/infra.git", "ssh://git@github.com/acme/infra.git", "deploy@web1.acme.io:/srv/app", "icon@2x.png", "user@1000.service", "getty@tty1.service",
    "ghcr.io/acme/web@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "http://localhost:8080/a@b", "https://example.com/@user/post",
    "Write it as name@example.org.", "e.g. user@example.com", "@decorator.method", "foo@bar", "a@b",
    # Numbers and times
    "127.0.0.1:5432", "0.0.0.0:8000", "10.2.0.14", "192.168.1.20", "172.16.0.1", "169.254.169.254", "255.255.255.0", "::1", "fe80::1ff:fe23:4567:890a",
    "version 1.2.3.4", "v10.0.19041.1", "Chrome/120.0.6099.109", "driver 31.0.15.3699", "OpenSSL 3.0.13", "pkg==1.2.3.4", "libfoo-1.2.3.4.so", "oid 1.3.6.1.4.1.311.21.20",
    "2026-11-15T12:00:00+00:00", "2026-11-15 12:00:00.123456+0200", "1791123612149", "1791123612", "1700000000000000000", "12:34:56", "00:1A:2B:3C:4D:5E",
    "offset 1234567890", "size=10485760", "memory 0x7f3c2d1a9b1e", "<Foo object at 0x7f3c2d1a9b1e>", "pid 12345", "port 65535", "line 1234, column 56", "1,234,567.89 EUR",
    "3.14159265358979", "-1.7976931348623157e+308", "100%", "50 % of 2000", "latitude 52.520008, longitude 13.404954", "+00:00", "UTC+02:00", "1e-05", "2026-11-15",
    "300-400-500", "8-800", "123-45-678", "12-34-5678", "5.1.1 bounced", "550 5.7.26", "HTTP/1.1 200 OK", "2/3 done", "A4 page", "ISO 8601", "RFC 9457", "UTF-8",
    "progress 4242/10000", "3 of 16 shards", "Q3 2026", "build 20261115.3", "release/2026.11", "0.12.7+build.4092e500", "4.0.0-rc.1+20261115", "1.0.0-alpha.1",
    # Base64 and such
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGl5c2V0dGluZ2tleWZvcmRvY3MxMjM0NTY3ODkw bob", "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ2VydA==\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----", "SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8",
    "Content-Type: multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW", "Content-MD5: Q2hlY2sgSW50ZWdyaXR5IQ==", "Last-Event-ID: 42",
    "ImportError: cannot import name 'secret_key' from 'app.config'", "AttributeError: 'Settings' object has no attribute 'api_key'",
    "sqlalchemy.exc.OperationalError: (psycopg2.OperationalError) could not translate host name", "org.springframework.security.authentication.BadCredentialsException: Bad credentials",
    "System.Security.Authentication.AuthenticationException: The remote certificate is invalid", "com.acme.auth.TokenService.refreshToken(TokenService.java:42)",
    "at Object.verifyToken (/srv/app/auth/verify-token.js:17:11)", "src/auth/token_store.py:88: in load", "grep: /etc/passwd: Permission denied", "open /run/secrets/db_password: no such file or directory",
]
# fmt: on
