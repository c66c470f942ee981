"""Fake keys of every kind, put together when the tests run, so that the files of this project hold none."""

import random

_DICE = random.Random(20260504)  # noqa: S311 - fakes
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def fake(length: int, letters: str = LETTERS) -> str:
    return "a1" + "".join(_DICE.choice(letters) for _ in range(length - 2))


HEX40 = fake(40, "0123456789abcdef")
PEM = "\n".join(
    ["-----BEGIN " + "RSA PRIVATE KEY-----", fake(64), fake(40) + "==", "-----END " + "RSA PRIVATE KEY-----"]
)

KEYS = {
    "OpenAI": "sk-" + "proj-" + fake(24) + "_" + fake(40) + "-" + fake(20),
    "OpenAI, old": "sk-" + fake(48),
    "OpenAI, plain": "sk-" + "a" * 40,
    "OpenAI, short": "sk-" + "test-" + fake(16).lower(),
    "Anthropic": "sk-" + "ant-api03-" + fake(40) + "-" + fake(20) + "AA",
    "OpenRouter": "sk-" + "or-v1-" + fake(64, "0123456789abcdef"),
    "Hugging Face": "hf_" + fake(34),
    "GitHub": "ghp_" + fake(36),
    "GitHub app": "ghs_" + fake(36),
    "GitHub, fine": "github_pat_" + fake(22) + "_" + fake(59),
    "GitLab": "glpat-" + fake(20),
    "AWS": "AKIA" + fake(16).upper(),
    "Google": "AIza" + "Sy" + fake(33),
    "Slack": "xoxb-" + "123456789012-" + fake(24),
    "JWT": ".".join(["eyJhbGciOiJIUzI1NiJ9", "eyJ" + fake(40), fake(43)]),
    "W&B, new": "wandb_v1_" + fake(40),
    "npm": "npm_" + fake(36),
    "Prefect": "pnu_" + fake(36),
    "PEM": PEM,
    "PEM, cut": PEM.rpartition("\n")[0],
    "PEM, in JSON": PEM.replace("\n", "\\n"),
}
"""Keys that show by themselves what they are."""

ANNOUNCED = {
    "Slack webhook": ("https://hooks.slack.com/services/", "T0A1B2C3D/B0A1B2C3D/" + fake(24), ""),
    "Slack webhook in JSON": (
        "https:\\/\\/hooks.slack.com\\/services\\/",
        "T0A1B2C3D\\/B0A1B2C3D\\/" + fake(24),
        '"',
    ),
    "Discord webhook": ("https://discord.com/api/webhooks/", "123456789012345678/" + fake(68), ""),
    "Postgres": ("postgres://runner:", fake(12), "@db.example.org:5432/runs"),
    "Postgres, short": ("postgres://user:", "pass", "@host/db"),
    "Redis": ("redis://:", fake(20), "@cache.example.org"),
    "address in JSON": ("https:\\/\\/me:", fake(20), "@git.example.org\\/x.git"),
    "W&B variable": ("export WANDB_API_KEY=", HEX40, "\n"),
    "W&B login": ("wandb login ", HEX40, "\n"),
    "W&B netrc": ("machine api.wandb.ai\n  login user\n  password ", HEX40, "\n"),
    "W&B in Python": ('wandb.login(key="', HEX40, '")'),
    "AWS secret": ("AWS_SECRET_ACCESS_KEY=", fake(40, LETTERS + "/+"), "\n"),
    "AWS secret in JSON": ('"SecretAccessKey": "', fake(40, LETTERS + "/+"), '"'),
    "a name": ("MY_SERVICE_API_KEY: ", fake(32, "0123456789abcdef"), "\n"),
    "a password": ("password = '", fake(24), "'"),
    "bearer": ("Authorization: Bearer ", fake(30), "\n"),
    "basic": ('{"Authorization": "Basic ', fake(28) + "==", '"}'),
}
"""Keys that only what stands around them tells: what stands before, the key, what stands behind."""

INNOCENT = (
    "commit 0123456789abcdef0123456789abcdef01234567",
    "wandb: run at commit 0123456789abcdef0123456789abcdef01234567",
    "sha256 " + "0123456789abcdef" * 4,
    "logs/123e4567-e89b-12d3-a456-426614174000.txt",
    "RECORD,sha256=hf_5PVegQcFSS60CjS80C7h-TGOrfQ4nc",
    "mask-learning-rate-0123456789abcdef0123456789",
    "ask-me-about-sk-learn, hf_token, AKIArms, sk-muon-lr30-horizon3500-seed0 and a public key",
    "muon-sk-tailresrmsstackaggmom3hidden-adamminiopt1-muon2fhidden-h3375-stop3250-seed0",
    'api_key = os.environ["OPENAI_API_KEY"]',
    "client = OpenAI(api_key=settings.openai_api_key_of_the_user_1)",
    "password=${POSTGRES_PASSWORD_OF_RUN_1}",
    "postgres://${USER}:${PASSWORD}@host/db",
    "https://arxiv.org/abs/2605.00123 and http://127.0.0.1:4200/api, mail me@example.org",
    "git clone ssh://git@github.com:22/owner/name.git",
    "tokens_per_step: 524288, eos_token=50256, secret_sauce = None",
    "normuon-b090to080-mlpprojlr124375-adamminiopt1-muon2fhidden-b2p095-eps1e3-seed0",
    "blob = '" + "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0NTY3ODkwYWJjZGVmZ2hpamtsbW5vcA" * 3 + "=='",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
)
"""Texts that only look like keys."""
