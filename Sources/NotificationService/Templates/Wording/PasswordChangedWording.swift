/// "password-changed": the password was changed (G-11, G-12).
enum PasswordChangedWording {
    static let wordings = Wordings(
        english: """
            Subject: Your password for {{product}} was changed
            Title: Your password was changed

            The password of your {{product}} account was changed. Your other devices were signed \
            out.

            - Device: {{device}}
            - Place: {{place}}
            - Time: {{time}}

            If that was you, there is nothing to do.

            If it was not you, set a new password at once with “Forgot password”.
            """,
        german: """
            Subject: Dein Passwort für {{product}} wurde geändert
            Title: Dein Passwort wurde geändert

            Das Passwort deines Kontos bei {{product}} wurde geändert. Deine anderen Geräte wurden \
            abgemeldet.

            - Gerät: {{device}}
            - Ort: {{place}}
            - Zeit: {{time}}

            Wenn du das warst, musst du nichts tun.

            Wenn nicht, setze sofort über „Passwort vergessen“ ein neues Passwort.
            """,
        spanish: """
            Subject: Tu contraseña de {{product}} ha cambiado
            Title: Tu contraseña ha cambiado

            Se ha cambiado la contraseña de tu cuenta de {{product}}. Se ha cerrado la sesión en \
            tus otros dispositivos.

            - Dispositivo: {{device}}
            - Lugar: {{place}}
            - Fecha: {{time}}

            Si fuiste tú, no tienes que hacer nada.

            Si no fuiste tú, pon enseguida una contraseña nueva con «He olvidado mi contraseña».
            """,
        french: """
            Subject: Votre mot de passe pour {{product}} a été changé
            Title: Votre mot de passe a été changé

            Le mot de passe de votre compte {{product}} a été changé. Vos autres appareils ont été \
            déconnectés.

            - Appareil\u{A0}: {{device}}
            - Lieu\u{A0}: {{place}}
            - Date\u{A0}: {{time}}

            Si c’était vous, vous n’avez rien à faire.

            Sinon, définissez tout de suite un nouveau mot de passe avec «\u{A0}Mot de passe \
            oublié ».
            """,
        japanese: """
            Subject: {{product}}：パスワードが変更されました
            Title: パスワードが変更されました

            {{product}}のアカウントのパスワードが変更され、ほかのデバイスからログアウトしました。

            - デバイス：{{device}}
            - 場所：{{place}}
            - 日時：{{time}}

            ご本人の操作であれば、何もする必要はありません。

            お心当たりがない場合は、すぐに「パスワードを忘れた場合」から新しいパスワードを設定してください。
            """)
}
