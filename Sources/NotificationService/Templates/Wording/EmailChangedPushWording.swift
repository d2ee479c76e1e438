/// "email-changed": the account's address was changed (G-12).
enum EmailChangedPushWording {
    static let wordings = Wordings(
        english: """
            Title: Email address changed

            The email address of your account was changed. If it was not you, contact {{product}} \
            at once.
            """,
        german: """
            Title: E-Mail-Adresse geändert

            Die E-Mail-Adresse deines Kontos wurde geändert. Wenn du das nicht warst, wende dich \
            sofort an {{product}}.
            """,
        spanish: """
            Title: Correo cambiado

            Se ha cambiado la dirección de correo de tu cuenta. Si no fuiste tú, contacta cuanto \
            antes con {{product}}.
            """,
        french: """
            Title: Adresse e-mail changée

            L’adresse e-mail de votre compte a été changée. Si ce n’était pas vous, contactez \
            {{product}} sans attendre.
            """,
        japanese: """
            Title: メールアドレスが変更されました

            お心当たりがない場合は、すぐに{{product}}にご連絡ください。
            """)
}
