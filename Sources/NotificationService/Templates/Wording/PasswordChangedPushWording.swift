/// "password-changed": the password was changed (G-12).
enum PasswordChangedPushWording {
    static let wordings = Wordings(
        english: """
            Title: Password changed

            Your password was changed. If it was not you, set a new one at once with “Forgot \
            password”.
            """,
        german: """
            Title: Passwort geändert

            Dein Passwort wurde geändert. Wenn du das nicht warst, setze sofort über „Passwort \
            vergessen“ ein neues.
            """,
        spanish: """
            Title: Contraseña cambiada

            Tu contraseña ha cambiado. Si no fuiste tú, pon enseguida una nueva con «He olvidado \
            mi contraseña».
            """,
        french: """
            Title: Mot de passe changé

            Votre mot de passe a été changé. Si ce n’était pas vous, définissez-en tout de suite \
            un nouveau avec «\u{A0}Mot de passe oublié ».
            """,
        japanese: """
            Title: パスワードが変更されました

            お心当たりがない場合は、すぐに「パスワードを忘れた場合」から新しいパスワードを設定してください。
            """)
}
