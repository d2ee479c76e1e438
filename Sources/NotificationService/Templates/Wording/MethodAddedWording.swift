/// "method-added": a sign-in method was added (G-14, G-15).
enum MethodAddedWording {
    static let wordings = Wordings(
        english: """
            Subject: A new way to sign in to {{product}}
            Title: A new way to sign in

            Your {{product}} account has one more way to sign in.

            - Method: {{method}}
            - Device: {{device}}
            - Time: {{time}}

            If that was you, there is nothing to do.

            If it was not you, remove it in your account, change your password and sign out all \
            devices.
            """,
        german: """
            Subject: Neue Anmeldemöglichkeit bei {{product}}
            Title: Neue Anmeldemöglichkeit

            Dein Konto bei {{product}} hat eine weitere Anmeldemöglichkeit.

            - Anmeldung mit: {{method}}
            - Gerät: {{device}}
            - Zeit: {{time}}

            Wenn du das warst, musst du nichts tun.

            Wenn nicht, entferne sie in deinem Konto, ändere dein Passwort und melde alle Geräte ab.
            """,
        spanish: """
            Subject: Nueva forma de entrar en {{product}}
            Title: Nueva forma de entrar

            Tu cuenta de {{product}} tiene una forma más de iniciar sesión.

            - Método: {{method}}
            - Dispositivo: {{device}}
            - Fecha: {{time}}

            Si fuiste tú, no tienes que hacer nada.

            Si no fuiste tú, quítala en tu cuenta, cambia tu contraseña y cierra la sesión en \
            todos los dispositivos.
            """,
        french: """
            Subject: Nouveau moyen de connexion à {{product}}
            Title: Nouveau moyen de connexion

            Votre compte {{product}} dispose d’un moyen de connexion supplémentaire.

            - Méthode\u{A0}: {{method}}
            - Appareil\u{A0}: {{device}}
            - Date\u{A0}: {{time}}

            Si c’était vous, vous n’avez rien à faire.

            Sinon, retirez-le dans votre compte, changez votre mot de passe et déconnectez tous \
            vos appareils.
            """,
        japanese: """
            Subject: {{product}}：ログイン方法が追加されました
            Title: ログイン方法が追加されました

            {{product}}のアカウントにログイン方法が追加されました。

            - 方法：{{method}}
            - デバイス：{{device}}
            - 日時：{{time}}

            ご本人の操作であれば、何もする必要はありません。

            お心当たりがない場合は、アカウントからその方法を削除し、パスワードを変更して、すべてのデバイスからログアウトしてください。
            """)
}
