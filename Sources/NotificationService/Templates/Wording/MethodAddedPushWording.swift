/// "method-added": a sign-in method was added (G-14).
enum MethodAddedPushWording {
    static let wordings = Wordings(
        english: """
            Title: New way to sign in

            Added to your account: {{method}}. If it was not you, remove it and change your \
            password.
            """,
        german: """
            Title: Neue Anmeldemöglichkeit

            Zu deinem Konto hinzugefügt: {{method}}. Wenn du das nicht warst, entferne sie und \
            ändere dein Passwort.
            """,
        spanish: """
            Title: Nueva forma de entrar

            Añadido a tu cuenta: {{method}}. Si no fuiste tú, quítalo y cambia tu contraseña.
            """,
        french: """
            Title: Nouveau moyen de connexion

            Ajouté à votre compte\u{A0}: {{method}}. Si ce n’était pas vous, retirez-le et changez \
            votre mot de passe.
            """,
        japanese: """
            Title: ログイン方法の追加

            アカウントに追加されました：{{method}}。お心当たりがない場合は、削除してパスワードを変更してください。
            """)
}
