/// "method-removed": a sign-in method was removed (G-14).
enum MethodRemovedWording {
    static let wordings = Wordings(
        english: """
            Subject: A way to sign in to {{product}} was removed
            Title: A way to sign in was removed

            A way to sign in was removed from your {{product}} account.

            - Method: {{method}}
            - Device: {{device}}
            - Time: {{time}}

            If that was you, there is nothing to do.

            If it was not you, change your password now and sign out all devices.
            """,
        german: """
            Subject: Anmeldemöglichkeit bei {{product}} entfernt
            Title: Anmeldemöglichkeit entfernt

            Aus deinem Konto bei {{product}} wurde eine Anmeldemöglichkeit entfernt.

            - Anmeldung mit: {{method}}
            - Gerät: {{device}}
            - Zeit: {{time}}

            Wenn du das warst, musst du nichts tun.

            Wenn nicht, ändere jetzt dein Passwort und melde alle Geräte ab.
            """,
        spanish: """
            Subject: Se ha quitado una forma de entrar en {{product}}
            Title: Se ha quitado una forma de entrar

            Se ha quitado una forma de iniciar sesión de tu cuenta de {{product}}.

            - Método: {{method}}
            - Dispositivo: {{device}}
            - Fecha: {{time}}

            Si fuiste tú, no tienes que hacer nada.

            Si no fuiste tú, cambia ahora tu contraseña y cierra la sesión en todos los \
            dispositivos.
            """,
        french: """
            Subject: Moyen de connexion à {{product}} retiré
            Title: Moyen de connexion retiré

            Un moyen de connexion a été retiré de votre compte {{product}}.

            - Méthode\u{A0}: {{method}}
            - Appareil\u{A0}: {{device}}
            - Date\u{A0}: {{time}}

            Si c’était vous, vous n’avez rien à faire.

            Sinon, changez tout de suite votre mot de passe et déconnectez tous vos appareils.
            """,
        japanese: """
            Subject: {{product}}：ログイン方法が削除されました
            Title: ログイン方法が削除されました

            {{product}}のアカウントからログイン方法が削除されました。

            - 方法：{{method}}
            - デバイス：{{device}}
            - 日時：{{time}}

            ご本人の操作であれば、何もする必要はありません。

            お心当たりがない場合は、すぐにパスワードを変更し、すべてのデバイスからログアウトしてください。
            """)
}
