/// "session-displaced": a newer session displaced the least recently used one (S-03).
enum SessionDisplacedWording {
    static let wordings = Wordings(
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
}
