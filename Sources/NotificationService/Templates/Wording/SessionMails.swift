/// Mails about sign-ins and sessions.
extension Wordings {
    /// "sign-in": a sign-in (N-01, D0).
    static let signIn = Wordings(
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

    /// "new-device": a sign-in on a device, or from a place, that was not seen before.
    static let newDevice = Wordings(
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

    /// "session-displaced": a newer session displaced the least recently used one (S-03).
    static let sessionDisplaced = Wordings(
        english: """
            Subject: A device was signed out of {{product}}
            Title: A device was signed out

            You signed in to {{product}} on another device. Since an account can be signed in on a \
            limited number of devices at once, {{#device}}“{{device}}”{{/device}}{{^device}}a \
            device{{/device}} was signed out, on {{time}}: it had not been used for the longest \
            time.

            If that was you, there is nothing to do.

            If it was not you, change your password now and sign out all devices.
            """,
        german: """
            Subject: Ein Gerät wurde bei {{product}} abgemeldet
            Title: Ein Gerät wurde abgemeldet

            Du hast dich mit einem weiteren Gerät bei {{product}} angemeldet. Da ein Konto nur auf \
            einer begrenzten Zahl von Geräten angemeldet sein kann, wurde am {{time}} \
            {{#device}}das Gerät „{{device}}“{{/device}}{{^device}}ein Gerät{{/device}} \
            abgemeldet, weil es am längsten nicht benutzt wurde.

            Wenn du das warst, musst du nichts tun.

            Wenn nicht, ändere jetzt dein Passwort und melde alle Geräte ab.
            """,
        spanish: """
            Subject: Se ha cerrado la sesión de un dispositivo en {{product}}
            Title: Se ha cerrado la sesión de un dispositivo

            Has iniciado sesión en {{product}} con otro dispositivo. Como una cuenta solo puede \
            estar abierta en un número limitado de dispositivos, el {{time}} se cerró la sesión en \
            {{#device}}el dispositivo «{{device}}»{{/device}}{{^device}}un dispositivo{{/device}}, \
            el que llevaba más tiempo sin usarse.

            Si fuiste tú, no tienes que hacer nada.

            Si no fuiste tú, cambia ahora tu contraseña y cierra la sesión en todos los \
            dispositivos.
            """,
        french: """
            Subject: Un appareil a été déconnecté de {{product}}
            Title: Un appareil a été déconnecté

            Vous vous êtes connecté à {{product}} avec un autre appareil. Un compte ne pouvant \
            être ouvert que sur un nombre limité d’appareils, {{#device}}l’appareil \
            «\u{A0}{{device}}\u{A0}»{{/device}}{{^device}}un appareil{{/device}} a été déconnecté, \
            le {{time}}\u{A0}: c’était celui resté le plus longtemps inutilisé.

            Si c’était vous, vous n’avez rien à faire.

            Sinon, changez tout de suite votre mot de passe et déconnectez tous vos appareils.
            """,
        japanese: """
            Subject: {{product}}：デバイスがログアウトしました
            Title: デバイスがログアウトしました

            別のデバイスで{{product}}にログインされました。同時にログインできるデバイスの数には限りがあるため、{{time}}に、最も長く使われていなかった\
            {{#device}}「{{device}}」{{/device}}{{^device}}デバイス1台{{/device}}がログアウトしました。

            ご本人の操作であれば、何もする必要はありません。

            お心当たりがない場合は、すぐにパスワードを変更し、すべてのデバイスからログアウトしてください。
            """)

    /// "session-replayed": a refresh token was used twice, so its session was ended (G-10).
    static let sessionReplayed = Wordings(
        english: """
            Subject: You were signed out of {{product}} for safety
            Title: You were signed out for safety

            On {{time}} the sign-in of {{#device}}“{{device}}”{{/device}}{{^device}}a \
            device{{/device}} to {{product}} was used a second time, as it would be by somebody \
            who has copied it. We ended it, so that nobody can go on with it.

            Please sign in again on that device.

            If you think that somebody has had your device, or what is on it, change your password \
            and sign out all devices.
            """,
        german: """
            Subject: Du wurdest zur Sicherheit bei {{product}} abgemeldet
            Title: Du wurdest zur Sicherheit abgemeldet

            Am {{time}} wurde die Anmeldung {{#device}}des Geräts \
            „{{device}}“{{/device}}{{^device}}eines Geräts{{/device}} bei {{product}} ein zweites \
            Mal benutzt, so wie es jemand täte, der sie kopiert hat. Wir haben sie beendet, damit \
            niemand sie weiter nutzen kann.

            Bitte melde dich auf diesem Gerät neu an.

            Wenn du glaubst, dass jemand Zugriff auf dein Gerät oder seine Daten hatte, ändere \
            dein Passwort und melde alle Geräte ab.
            """,
        spanish: """
            Subject: Hemos cerrado tu sesión en {{product}} por seguridad
            Title: Hemos cerrado tu sesión por seguridad

            El {{time}}, la sesión {{#device}}del dispositivo «{{device}}»{{/device}}{{^device}}de \
            un dispositivo{{/device}} en {{product}} se usó por segunda vez, como haría alguien \
            que la hubiera copiado. La hemos cerrado para que nadie pueda seguir con ella.

            Vuelve a iniciar sesión en ese dispositivo.

            Si crees que alguien ha tenido acceso a tu dispositivo o a lo que contiene, cambia tu \
            contraseña y cierra la sesión en todos los dispositivos.
            """,
        french: """
            Subject: Vous avez été déconnecté de {{product}} par sécurité
            Title: Vous avez été déconnecté par sécurité

            Le {{time}}, la session {{#device}}de l’appareil \
            «\u{A0}{{device}}\u{A0}»{{/device}}{{^device}}d’un appareil{{/device}} sur {{product}} \
            a été utilisée une seconde fois, comme le ferait quelqu’un qui l’aurait copiée. Nous y \
            avons mis fin pour que personne ne puisse s’en servir.

            Reconnectez-vous sur cet appareil.

            Si vous pensez que quelqu’un a eu accès à votre appareil ou à son contenu, changez \
            votre mot de passe et déconnectez tous vos appareils.
            """,
        japanese: """
            Subject: {{product}}：安全のためログアウトしました
            Title: 安全のためログアウトしました

            {{time}}に、{{#device}}「{{device}}」{{/device}}{{^device}}あるデバイス{{/device}}の{{product}}への\
            ログイン情報が、コピーされた場合のように二重に使われました。不正に使われないよう、このログインを終了しました。

            そのデバイスでもう一度ログインしてください。

            どなたかがデバイスやその中の情報に触れた可能性がある場合は、パスワードを変更し、すべてのデバイスからログアウトしてください。
            """)
}
