"""The common failures, in the languages that servers write them in."""

import pytest
from hypothesis import given, strategies as st

import errata
from errata import Code
from errata._languages import _PHRASES, in_english
from errata.classification._patterns import ROWS, VAGUE
from errata.classification._words import Patterns

# fmt: off
SAID = {
    Code.NOT_FOUND: (
        "文件不存在", "找不到該檔案", "ファイルが見つかりません", "파일을 찾을 수 없습니다", "No se encontró el archivo",
        "Arquivo não encontrado", "Fichier introuvable", "Datei nicht gefunden",
    ),
    Code.VALIDATION_FAILED: (
        "日期格式不正确", "參數無效", "日付の形式が正しくありません", "날짜 형식이 올바르지 않습니다", "La fecha no es válida",
        "A data não é válida", "La date n'est pas valide", "Das Datum ist ungültig",
    ),
    Code.UNAUTHORIZED: (
        "身份验证失败", "驗證失敗", "認証に失敗しました", "인증에 실패했습니다", "Error de autenticación", "Falha na autenticação",
        "Échec de l'authentification", "Authentifizierung fehlgeschlagen",
    ),
    Code.FORBIDDEN: (
        "没有权限", "權限不足", "権限がありません", "권한이 없습니다", "Acceso denegado", "Permissão negada", "Accès refusé",
        "Zugriff verweigert",
    ),
    Code.CONFLICT: (
        "用户已存在", "既に存在します", "이미 존재합니다", "El usuario ya existe", "O usuário já existe", "L'utilisateur existe déjà",
        "Der Benutzer existiert bereits",
    ),
    Code.RATE_LIMITED: (
        "请求过于频繁", "リクエストが多すぎます", "요청이 너무 많습니다", "Demasiadas solicitudes", "Muitas requisições", "Trop de requêtes",
        "Zu viele Anfragen",
    ),
    Code.TIMEOUT: (
        "请求超时", "タイムアウトしました", "시간 초과", "Tiempo de espera agotado", "Tempo limite excedido", "Délai d'attente dépassé",
        "Zeitüberschreitung",
    ),
    Code.NETWORK_ERROR: (
        "网络错误", "ネットワークエラー", "네트워크 오류", "Error de red", "Erro de rede", "Erreur réseau", "Netzwerkfehler",
    ),
    Code.CONFIGURATION_ERROR: (
        "服务未配置", "設定されていません", "설정되지 않았습니다", "El servicio no está configurado", "Serviço não configurado",
        "Service non configuré", "Der Dienst ist nicht konfiguriert",
    ),
    Code.NOT_IMPLEMENTED: (
        "不支持该操作", "サポートされていません", "지원하지 않습니다", "Operación no soportada", "Operação não suportada",
        "Opération non prise en charge", "Wird nicht unterstützt",
    ),
    Code.INSUFFICIENT_BALANCE: (
        "余额不足", "残高不足です", "잔액이 부족합니다", "Saldo insuficiente", "Solde insuffisant", "Guthaben reicht nicht",
    ),
}
# fmt: on


def read(text):
    return errata.decode({"content": [{"type": "text", "text": text}], "isError": True})


@pytest.mark.parametrize("code", SAID)
def test_the_common_failures_are_understood(code):
    assert {text: read(text).code for text in SAID[code] if read(text).code is not code} == {}


# fmt: off
ELSEWHERE = {  # Italian, Dutch, Portuguese, Polish, Turkish.
    Code.NOT_FOUND: ("File non trovato", "Bestand niet gevonden", "Ficheiro não encontrado", "Nie znaleziono pliku", "Dosya bulunamad\u0131"),
    Code.FORBIDDEN: ("Accesso negato", "Toegang geweigerd", "Acesso negado", "Brak dostępu", "Erişim reddedildi"),
    Code.UNAUTHORIZED: (
        "Non autorizzato", "Niet geautoriseerd", "Não autorizado", "Brak autoryzacji", "Yetkisiz erişim", "登录失效", "签名错误",
    ),
    Code.TIMEOUT: ("Tempo scaduto", "Tijdslimiet overschreden", "Tempo limite esgotado", "Przekroczono limit czasu", "Zaman aş\u0131m\u0131"),
    Code.RATE_LIMITED: ("Troppe richieste", "Te veel verzoeken", "Muitas requisições", "Zbyt wiele żądań", "Çok fazla istek"),
    Code.SERVICE_UNAVAILABLE: (
        "Servizio non disponibile", "Dienst niet beschikbaar", "Serviço indisponível", "Usługa niedostępna", "Hizmet kullan\u0131lam\u0131yor",
    ),
    Code.VALIDATION_FAILED: ("Valore non valido", "Ongeldige waarde", "Valor inválido", "Nieprawidłowa wartość", "Geçersiz değer"),
    Code.CONFLICT: ("L'utente esiste già", "Gebruiker bestaat al", "O registro já existe", "Plik już istnieje", "Kay\u0131t zaten mevcut"),
    Code.NETWORK_ERROR: ("Verbindung abgebrochen", "Connexion interrompue", "Verbinding verbroken"),
    Code.CANCELLED: ("Vorgang abgebrochen",),
    Code.MISSING_REQUIRED_FIELD: ("参数错误\uff1a缺少必填参数 to", "缺少必填参数 to"),
    Code.BUSINESS_RULE_VIOLATION: ("库存不足", "The item is out of stock"),
}
# fmt: on


@pytest.mark.parametrize("code", ELSEWHERE)
def test_the_most_common_failures_are_understood_in_more_languages(code):
    assert {text: read(text).code for text in ELSEWHERE[code] if read(text).code is not code} == {}


@pytest.mark.parametrize("code", SAID)
def test_accents_and_capitals_may_be_left_out(code):
    plain = str.maketrans("áéíóúñçãõàèêâüöß", "aeiouncaoaeeauos")
    texts = [text for text in SAID[code] if text[0].isascii() or text[0] in "ÉÀ"]

    assert {text: read(text.lower().translate(plain)).code for text in texts if "ß" not in text} == dict.fromkeys(
        texts, code
    )


def test_every_phrase_says_something_in_english():
    """A row whose English no pattern knows is useless, but for the words that only build others."""
    known = Patterns((*ROWS, *VAGUE))
    building = {
        "error",
        "error while",
        "exception",
        "expression",
        "failed",
        "file",
        "parameter",
        "status code",
        "upstream",
    }
    building |= {"at least", "internal error", "unknown error", "environment variable"}

    assert {english for english in _PHRASES if not known.is_in(english)} == building - {
        english for english in building if known.is_in(english)
    }


def test_no_phrase_stands_twice():
    phrases = [phrase for phrases in _PHRASES.values() for phrase in phrases.split()]

    assert sorted(phrases) == sorted(set(phrases))


@pytest.mark.parametrize(
    "text",
    [
        "The token will expire in an hour",
        "No such file or directory",
        "Error: invalid value for limit",
        "must be a whole number",
        "Le Corbusier",
        "",
    ],
)
def test_english_stays_as_it_is(text):
    assert in_english(text) == text


@given(st.text(max_size=300))
def test_any_text_is_read(text):
    assert isinstance(in_english(text), str)


@pytest.mark.parametrize("char", ["\u0130", "\u0131", "\u017f", "\u212a", "\ufb01", "\u1e9e"])
def test_letters_that_change_their_length_are_no_trouble(char):
    text = f"Straße {char * 3} fichier introuvable: {char}x"

    assert in_english(text) == f"Straße {char * 3} file not found: {char}x"
    assert isinstance(in_english(f"ap{char} key无效"), str)
