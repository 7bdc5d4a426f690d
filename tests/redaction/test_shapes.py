"""Laws of the layers that judge by shape: redacting again changes nothing, and no text takes them long."""

from hypothesis import given, strategies as st

from errata import redact

# What the layers look for, in pieces, so that hypothesis builds what they stumble over.
pieces = st.lists(
    st.sampled_from(
        [
            *" \n=:,;\"'()[]-_./%+\\",
            "The upstream rejected ",
            "API key ",
            "401 for ",
            " was revoked",
            " is not a valid token",
            "authenticated with ",
            "zx_Q7mW2kP9sT4vB8nL3cX6",
            "9fT2kQ7mW2kP9sT4vB8nL3cX6dR1",
            "c3ZjLW9yZGVyczpRdWFydHpDb3BwZXI5NjU=",
            "70617373776f72643d436f7070657256696f6c6574373436",
            "%2570assword%253Dhunter22x",
            "\\u0070\\u0061\\u0073\\u0073",
            "pass\u200bword=",
            "hunter22x",
            "&#112;&#97;",
            '{"kty": "oct", "k": "',
            "A1b2" * 16 + "\n",
            "keypair [" + "1, " * 31 + "1]",
            "seed phrase ",
            "legal winner thank year wave sausage ",
            "DNI ",
            "12345678Z",
            "national id ",
            "44051401359",
            "111.444.777-35",
            "phone 07700 900123",
            "221B Baker Street",
            "born 17 May 1985",
            "3c:22:fb:9a:10:4e",
            "device ",
            "ann [at] acme [dot] io",
            '"full_name": "Ann Lee"',
            "[redacted: token]",
            "[redacted: national id]",
            "eyJhIjogIjdlY2EwOTdhMzc3",
            "0x",
            "\u00ad",
        ]
    ),
    max_size=12,
).map("".join)


@given(pieces)
def test_redacting_again_changes_nothing(text):
    once = redact(text)
    assert redact(once) == once
