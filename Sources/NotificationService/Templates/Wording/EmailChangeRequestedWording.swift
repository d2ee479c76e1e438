/// "email-change-requested": to the old address: a change was requested (G-12). The new address is
/// masked.
enum EmailChangeRequestedWording {
    static let wordings = Wordings(
        english: """
            Subject: Your email for {{product}} is about to change
            Title: Your email is about to change

            On {{time}} somebody asked to change the email address of your {{product}} account to \
            {{address}}. It changes once that address is confirmed.

            If that was you, there is nothing to do.

            If it was not you, reset your password now: that also stops the change.
            """,
        german: """
            Subject: Deine E-Mail-Adresse für {{product}} soll geändert werden
            Title: Deine E-Mail-Adresse soll geändert werden

            Am {{time}} wurde angefordert, die E-Mail-Adresse deines Kontos bei {{product}} in \
            {{address}} zu ändern. Sie ändert sich, sobald diese Adresse bestätigt ist.

            Wenn du das warst, musst du nichts tun.

            Wenn nicht, setze jetzt dein Passwort zurück: Das stoppt auch die Änderung.
            """,
        spanish: """
            Subject: Tu correo en {{product}} va a cambiar
            Title: Tu correo va a cambiar

            El {{time}} se pidió cambiar la dirección de correo de tu cuenta de {{product}} a \
            {{address}}. Cambiará en cuanto se confirme esa dirección.

            Si fuiste tú, no tienes que hacer nada.

            Si no fuiste tú, restablece ahora tu contraseña: eso también detiene el cambio.
            """,
        french: """
            Subject: Votre adresse pour {{product}} va changer
            Title: Votre adresse va changer

            Le {{time}}, il a été demandé de remplacer l’adresse e-mail de votre compte \
            {{product}} par {{address}}. Elle changera dès que cette adresse sera confirmée.

            Si c’était vous, vous n’avez rien à faire.

            Sinon, réinitialisez tout de suite votre mot de passe\u{A0}: cela arrête aussi le \
            changement.
            """,
        japanese: """
            Subject: {{product}}：メールアドレス変更のご依頼
            Title: メールアドレス変更のご依頼

            {{time}}に、{{product}}のアカウントのメールアドレスを{{address}}に変更するご依頼がありました。新しいアドレスが確認されると変更されます。

            ご本人の操作であれば、何もする必要はありません。

            お心当たりがない場合は、すぐにパスワードを再設定してください。変更も取り消されます。
            """)
}
