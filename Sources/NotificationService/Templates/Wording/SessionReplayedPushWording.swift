/// "session-replayed": a session was ended because its refresh token was replayed (G-10).
enum SessionReplayedPushWording {
    static let wordings = Wordings(
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
}
