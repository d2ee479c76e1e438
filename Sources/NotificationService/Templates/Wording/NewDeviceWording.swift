/// "new-device": a sign-in on a device, or from a place, that was not seen before.
enum NewDeviceWording {
    static let wordings = Wordings(
        english: """
            Subject: Sign-in from a new device: {{product}}
            Title: Sign-in from a new device

            Somebody signed in to your {{product}} account on a device, or from a place, that we \
            had not seen before.

            - Method: {{method}}
            - Device: {{device}}
            - Place: {{place}}
            - Time: {{time}}

            If that was you, there is nothing to do.

            If it was not you, change your password now and sign out all devices.
            """,
        german: """
            Subject: Anmeldung mit einem neuen Gerät: {{product}}
            Title: Anmeldung mit einem neuen Gerät

            Bei deinem Konto bei {{product}} hat sich jemand mit einem Gerät oder von einem Ort \
            aus angemeldet, den wir noch nicht kannten.

            - Anmeldung mit: {{method}}
            - Gerät: {{device}}
            - Ort: {{place}}
            - Zeit: {{time}}

            Wenn du das warst, musst du nichts tun.

            Wenn nicht, ändere jetzt dein Passwort und melde alle Geräte ab.
            """,
        spanish: """
            Subject: Inicio de sesión desde un dispositivo nuevo: {{product}}
            Title: Inicio de sesión desde un dispositivo nuevo

            Alguien ha iniciado sesión en tu cuenta de {{product}} con un dispositivo o desde un \
            lugar que aún no conocíamos.

            - Método: {{method}}
            - Dispositivo: {{device}}
            - Lugar: {{place}}
            - Fecha: {{time}}

            Si fuiste tú, no tienes que hacer nada.

            Si no fuiste tú, cambia ahora tu contraseña y cierra la sesión en todos los \
            dispositivos.
            """,
        french: """
            Subject: Connexion depuis un nouvel appareil\u{A0}: {{product}}
            Title: Connexion depuis un nouvel appareil

            Quelqu’un s’est connecté à votre compte {{product}} avec un appareil ou depuis un lieu \
            que nous ne connaissions pas encore.

            - Méthode\u{A0}: {{method}}
            - Appareil\u{A0}: {{device}}
            - Lieu\u{A0}: {{place}}
            - Date\u{A0}: {{time}}

            Si c’était vous, vous n’avez rien à faire.

            Sinon, changez tout de suite votre mot de passe et déconnectez tous vos appareils.
            """,
        japanese: """
            Subject: {{product}}：新しいデバイスからのログイン
            Title: 新しいデバイスからのログイン

            これまでに確認されていないデバイスまたは場所から、{{product}}のアカウントにログインがありました。

            - 方法：{{method}}
            - デバイス：{{device}}
            - 場所：{{place}}
            - 日時：{{time}}

            ご本人の操作であれば、何もする必要はありません。

            お心当たりがない場合は、すぐにパスワードを変更し、すべてのデバイスからログアウトしてください。
            """)
}
