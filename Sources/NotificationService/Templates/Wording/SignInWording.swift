/// "sign-in": a sign-in (N-01, D0).
enum SignInWording {
    static let wordings = Wordings(
        english: """
            Subject: New sign-in to {{product}}
            Title: New sign-in

            Somebody signed in to your {{product}} account.

            - Method: {{method}}
            - Device: {{device}}
            - Place: {{place}}
            - Time: {{time}}

            If that was you, there is nothing to do.

            If it was not you, change your password now and sign out all devices.
            """,
        german: """
            Subject: Neue Anmeldung bei {{product}}
            Title: Neue Anmeldung

            Bei deinem Konto bei {{product}} hat sich jemand angemeldet.

            - Anmeldung mit: {{method}}
            - Gerät: {{device}}
            - Ort: {{place}}
            - Zeit: {{time}}

            Wenn du das warst, musst du nichts tun.

            Wenn nicht, ändere jetzt dein Passwort und melde alle Geräte ab.
            """,
        spanish: """
            Subject: Nuevo inicio de sesión en {{product}}
            Title: Nuevo inicio de sesión

            Alguien ha iniciado sesión en tu cuenta de {{product}}.

            - Método: {{method}}
            - Dispositivo: {{device}}
            - Lugar: {{place}}
            - Fecha: {{time}}

            Si fuiste tú, no tienes que hacer nada.

            Si no fuiste tú, cambia ahora tu contraseña y cierra la sesión en todos los \
            dispositivos.
            """,
        french: """
            Subject: Nouvelle connexion à {{product}}
            Title: Nouvelle connexion

            Quelqu’un s’est connecté à votre compte {{product}}.

            - Méthode\u{A0}: {{method}}
            - Appareil\u{A0}: {{device}}
            - Lieu\u{A0}: {{place}}
            - Date\u{A0}: {{time}}

            Si c’était vous, vous n’avez rien à faire.

            Sinon, changez tout de suite votre mot de passe et déconnectez tous vos appareils.
            """,
        japanese: """
            Subject: {{product}}への新しいログイン
            Title: 新しいログイン

            {{product}}のアカウントにログインがありました。

            - 方法：{{method}}
            - デバイス：{{device}}
            - 場所：{{place}}
            - 日時：{{time}}

            ご本人の操作であれば、何もする必要はありません。

            お心当たりがない場合は、すぐにパスワードを変更し、すべてのデバイスからログアウトしてください。
            """)
}
