/// Mails about the account's email address.
extension Wordings {
    /// "email-already-registered": a sign-up with an address that has an account
    /// (Sources/SECURITY.md, Enumeration). The link leads to the app's page for forgotten
    /// passwords.
    static let emailAlreadyRegistered = Wordings(
        english: """
            Subject: You already have an account with {{product}}
            Title: You already have an account

            Somebody, perhaps you, wanted to use this email address with {{product}}. It already \
            has an account, so nothing was changed.

            If it was you, sign in as before.

            - Ways to sign in: {{methods}}

            If you have forgotten your password, or never had one, you can set one here.

            [Set a password]({{link}})

            If it was not you, there is nothing to do: your account is safe.
            """,
        german: """
            Subject: Du hast schon ein Konto bei {{product}}
            Title: Du hast schon ein Konto

            Jemand, vielleicht du, wollte diese E-Mail-Adresse bei {{product}} verwenden. Dafür \
            gibt es schon ein Konto, es wurde also nichts geändert.

            Wenn du das warst, melde dich wie gewohnt an.

            - Anmeldung mit: {{methods}}

            Wenn du dein Passwort vergessen hast oder noch keines hattest, kannst du hier eines \
            festlegen.

            [Passwort festlegen]({{link}})

            Wenn nicht, musst du nichts tun: Dein Konto ist sicher.
            """,
        spanish: """
            Subject: Ya tienes una cuenta en {{product}}
            Title: Ya tienes una cuenta

            Alguien, quizá tú, quiso usar esta dirección de correo en {{product}}. Ya tiene una \
            cuenta, así que no ha cambiado nada.

            Si fuiste tú, inicia sesión como siempre.

            - Formas de entrar: {{methods}}

            Si has olvidado tu contraseña, o nunca tuviste una, puedes ponerla aquí.

            [Poner una contraseña]({{link}})

            Si no fuiste tú, no tienes que hacer nada: tu cuenta está a salvo.
            """,
        french: """
            Subject: Vous avez déjà un compte {{product}}
            Title: Vous avez déjà un compte

            Quelqu’un, peut-être vous, a voulu utiliser cette adresse e-mail pour {{product}}. \
            Elle a déjà un compte\u{A0}: rien n’a été changé.

            Si c’était vous, connectez-vous comme d’habitude.

            - Moyens de connexion\u{A0}: {{methods}}

            Si vous avez oublié votre mot de passe, ou n’en avez jamais eu, vous pouvez en définir \
            un ici.

            [Définir un mot de passe]({{link}})

            Sinon, vous n’avez rien à faire\u{A0}: votre compte est en sécurité.
            """,
        japanese: """
            Subject: {{product}}のアカウントは登録済みです
            Title: アカウントは登録済みです

            このメールアドレスを{{product}}で使おうとした方がいます（ご本人かもしれません）。すでにアカウントがあるため、何も変更されていません。

            ご本人の場合は、いつもどおりログインしてください。

            - ログイン方法：{{methods}}

            パスワードをお忘れの場合や、まだ設定していない場合は、こちらから設定できます。

            [パスワードを設定する]({{link}})

            ご本人でない場合も、何もする必要はありません。アカウントは安全です。
            """)

    /// "email-change-confirm": to the new address: confirm the change (G-12).
    static let emailChangeConfirm = Wordings(
        english: """
            Subject: Confirm your new email for {{product}}
            Title: Confirm your new email

            A {{product}} account is to use this email address from now on. Please confirm that it \
            is yours.

            [Confirm email]({{link}})

            The link works once, for a short time.

            If you did not ask for this, ignore this mail: nothing will change.
            """,
        german: """
            Subject: Bestätige deine neue E-Mail-Adresse für {{product}}
            Title: Bestätige deine neue E-Mail-Adresse

            Ein Konto bei {{product}} soll künftig diese E-Mail-Adresse verwenden. Bitte \
            bestätige, dass sie dir gehört.

            [E-Mail-Adresse bestätigen]({{link}})

            Der Link funktioniert einmal und nur für kurze Zeit.

            Wenn du das nicht wolltest, ignoriere diese Mail: Es ändert sich nichts.
            """,
        spanish: """
            Subject: Confirma tu nuevo correo para {{product}}
            Title: Confirma tu nuevo correo

            Una cuenta de {{product}} va a usar esta dirección de correo. Confirma que es tuya.

            [Confirmar correo]({{link}})

            El enlace funciona una sola vez y por poco tiempo.

            Si no lo has pedido, ignora este correo: no cambiará nada.
            """,
        french: """
            Subject: Confirmez votre nouvelle adresse pour {{product}}
            Title: Confirmez votre nouvelle adresse

            Un compte {{product}} doit désormais utiliser cette adresse e-mail. Veuillez confirmer \
            qu’elle est à vous.

            [Confirmer l’adresse]({{link}})

            Le lien fonctionne une seule fois, pendant peu de temps.

            Si vous ne l’avez pas demandé, ignorez cet e-mail\u{A0}: rien ne changera.
            """,
        japanese: """
            Subject: {{product}}：新しいメールアドレスの確認
            Title: 新しいメールアドレスの確認

            {{product}}のアカウントで今後このメールアドレスを使うご依頼がありました。ご自分のアドレスであることを確認してください。

            [メールアドレスを確認する]({{link}})

            リンクは一度だけ、短い時間のみ有効です。

            お心当たりがない場合は、このメールを無視してください。何も変わりません。
            """)

    /// "email-change-requested": to the old address: a change was requested (G-12). The new address
    /// is masked.
    static let emailChangeRequested = Wordings(
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

    /// "email-changed": to the old address: the account has another address now (G-12).
    static let emailChanged = Wordings(
        english: """
            Subject: Your email for {{product}} has changed
            Title: Your email has changed

            Since {{time}} your {{product}} account has used {{address}} instead of this address. \
            Mails go there from now on.

            If that was you, there is nothing to do.

            If it was not you, contact {{product}} at once.
            """,
        german: """
            Subject: Deine E-Mail-Adresse für {{product}} wurde geändert
            Title: Deine E-Mail-Adresse wurde geändert

            Seit dem {{time}} verwendet dein Konto bei {{product}} {{address}} statt dieser \
            Adresse. Mails gehen ab jetzt dorthin.

            Wenn du das warst, musst du nichts tun.

            Wenn nicht, wende dich sofort an {{product}}.
            """,
        spanish: """
            Subject: Tu correo en {{product}} ha cambiado
            Title: Tu correo ha cambiado

            Desde el {{time}}, tu cuenta de {{product}} usa {{address}} en lugar de esta \
            dirección. Los correos llegarán allí a partir de ahora.

            Si fuiste tú, no tienes que hacer nada.

            Si no fuiste tú, contacta cuanto antes con {{product}}.
            """,
        french: """
            Subject: Votre adresse pour {{product}} a changé
            Title: Votre adresse a changé

            Depuis le {{time}}, votre compte {{product}} utilise {{address}} à la place de cette \
            adresse. Les e-mails y sont désormais envoyés.

            Si c’était vous, vous n’avez rien à faire.

            Sinon, contactez {{product}} sans attendre.
            """,
        japanese: """
            Subject: {{product}}：メールアドレスが変更されました
            Title: メールアドレスが変更されました

            {{time}}に、{{product}}のアカウントのメールアドレスがこのアドレスから{{address}}に変更されました。今後のメールは新しいアドレスに届きます。

            ご本人の操作であれば、何もする必要はありません。

            お心当たりがない場合は、すぐに{{product}}にご連絡ください。
            """)
}
