/// "session-replayed": a refresh token was used twice, so its session was ended (G-10).
enum SessionReplayedWording {
    static let wordings = Wordings(
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
