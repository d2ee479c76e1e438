/// Hashes that other programs made, with their passwords.
enum ForeignHashVectors {
    /// A password with a non-ASCII character. Python's hashlib and libxcrypt's crypt made its
    /// hashes.
    static let password = "Tr0ub4dor&3é"

    /// Text and password, from RFC 7914 §12, RFC 6070, the tests of the argon2 library and of
    /// crypt_blowfish, and Python's hashlib.
    static let all: [(text: String, password: String)] = [
        (
            "$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLV"
                + "QylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw", "pleaseletmein"
        ),
        (
            "$scrypt$ln=10,r=8,p=2$AAECAwQFBgcICQoLDA0ODw$88d/P7w1zxaOZibJ3ALt3w628z3HZtdwmv5qHReeu5Q",
            password
        ),
        ("$pbkdf2-sha1$i=4096$c2FsdA$SwB5AbdlSJq+rUnZJvch0GWkKcE", "password"),
        (
            "$pbkdf2-sha1$i=1000$AAECAwQFBgcICQoLDA0ODw$"
                + "TynIfRxfHwXd1Xsj+RD1XdzXR7NcYNqGhZV13gJUMdjP17ZQWhAvjw", password
        ),
        (
            "$pbkdf2-sha256$i=1000$AAECAwQFBgcICQoLDA0ODw$"
                + "eMQEZe+gBi2l7JGi+BtM5MXASa13ZDdnzEiFydTphvcrCFL6GL33fQ", password
        ),
        (
            "$pbkdf2-sha512$i=1000$AAECAwQFBgcICQoLDA0ODw$"
                + "ZdWEE6jzHro4fmaz4F8zGjOxnSOJciuLeLry4ZsPFTRxUp5KUDMSwg", password
        ),
        ("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"),
        ("$2a$05$abcdefghijklmnopqrstuu3xz0fzW7oxJWQ73ccxikLos5HEM3M9a", password),
        ("$2b$05$abcdefghijklmnopqrstuu3xz0fzW7oxJWQ73ccxikLos5HEM3M9a", password),
        ("$2y$05$abcdefghijklmnopqrstuu3xz0fzW7oxJWQ73ccxikLos5HEM3M9a", password),
        // The salt's last character has bits that are ignored.
        ("$2b$05$abcdefghijklmnopqrstuv3xz0fzW7oxJWQ73ccxikLos5HEM3M9a", password),
        (
            "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA",
            "password"
        ),
        (
            "$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ",
            "password"
        ),
    ]

    /// The vector that Firebase publishes for its modified scrypt.
    enum Firebase {
        static let signerKey =
            "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="
        static let separator = "Bw=="
        static let password = "user1password"
        static let text =
            "$firebase-scrypt$m=14,r=8$k=1$42xEC+ixf3L2lw$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SA"
            + "yZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ"
    }
}
