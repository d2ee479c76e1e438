/// The notices that are pushed to devices.
extension Wordings {
    /// "new-device": a sign-in on a device that was not seen before.
    static let newDevicePush = Wordings(
        english: """
            Title: New sign-in

            Somebody signed in to your account{{#device}} on “{{device}}”{{/device}}{{#place}}, \
            {{place}}{{/place}}. If it was not you, change your password.
            """,
        german: """
            Title: Neue Anmeldung

            Bei deinem Konto hat sich jemand angemeldet{{#device}}, mit \
            „{{device}}“{{/device}}{{#place}}, {{place}}{{/place}}. Wenn du das nicht warst, \
            ändere dein Passwort.
            """,
        spanish: """
            Title: Nuevo inicio de sesión

            Alguien ha entrado en tu cuenta{{#device}} con «{{device}}»{{/device}}{{#place}}, \
            {{place}}{{/place}}. Si no fuiste tú, cambia tu contraseña.
            """,
        french: """
            Title: Nouvelle connexion

            Quelqu’un s’est connecté à votre compte{{#device}} avec \
            «\u{A0}{{device}}\u{A0}»{{/device}}{{#place}}, {{place}}{{/place}}. Si ce n’était pas \
            vous, changez votre mot de passe.
            """,
        japanese: """
            Title: 新しいログイン

            アカウントにログインがありました{{#device}}：「{{device}}」{{/device}}{{#place}}、{{place}}{{/place}}。お心当た\
            りがない場合は、パスワードを変更してください。
            """)

    /// "password-changed": the password was changed (G-12).
    static let passwordChangedPush = Wordings(
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

    /// "email-changed": the account's address was changed (G-12).
    static let emailChangedPush = Wordings(
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

    /// "method-added": a sign-in method was added (G-14).
    static let methodAddedPush = Wordings(
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

    /// "session-replayed": a session was ended because its refresh token was replayed (G-10).
    static let sessionReplayedPush = Wordings(
        english: """
            Title: Signed out for safety

            One of your devices was signed out: its sign-in was used twice. Please sign in again \
            there.
            """,
        german: """
            Title: Zur Sicherheit abgemeldet

            Eines deiner Geräte wurde abgemeldet: Seine Anmeldung wurde zweimal benutzt. Bitte \
            melde dich dort neu an.
            """,
        spanish: """
            Title: Sesión cerrada por seguridad

            Hemos cerrado la sesión de uno de tus dispositivos: se usó dos veces. Vuelve a iniciar \
            sesión en él.
            """,
        french: """
            Title: Déconnexion par sécurité

            Un de vos appareils a été déconnecté\u{A0}: sa session a été utilisée deux fois. \
            Reconnectez-vous sur celui-ci.
            """,
        japanese: """
            Title: 安全のためログアウトしました

            ログイン情報が二重に使われたデバイスをログアウトしました。そのデバイスでもう一度ログインしてください。
            """)

    /// "deletion-scheduled": the account will be deleted (G-19).
    static let deletionScheduledPush = Wordings(
        english: """
            Title: Account will be deleted

            Your account will be deleted on {{time}}. To keep it, sign in before then and cancel \
            the deletion.
            """,
        german: """
            Title: Konto wird gelöscht

            Dein Konto wird am {{time}} gelöscht. Um es zu behalten, melde dich vorher an und \
            brich die Löschung ab.
            """,
        spanish: """
            Title: Tu cuenta se eliminará

            Tu cuenta se eliminará el {{time}}. Para conservarla, inicia sesión antes y cancela la \
            eliminación.
            """,
        french: """
            Title: Suppression du compte

            Votre compte sera supprimé le {{time}}. Pour le conserver, connectez-vous avant et \
            annulez la suppression.
            """,
        japanese: """
            Title: アカウント削除の予定

            アカウントは{{time}}に削除されます。残す場合は、それまでにログインして削除を取り消してください。
            """)
}
