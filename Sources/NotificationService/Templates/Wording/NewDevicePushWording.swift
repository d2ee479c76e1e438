/// "new-device": a sign-in on a device that was not seen before.
enum NewDevicePushWording {
    static let wordings = Wordings(
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
}
