/// Mails with a code or a link that the reader has asked for.
extension Wordings {
    /// "verify-email": a link that verifies an address (G-02, G-12).
    static let verifyEmail = Wordings(
        english: """
            Subject: Confirm your email for {{product}}
            Title: Confirm your email

            Please confirm that this is your email address for {{product}}.

            [Confirm email]({{link}})

            The link works once, for a short time.

            If you did not sign up, ignore this mail: nothing will happen.
            """,
        german: """
            Subject: Bestätige deine E-Mail-Adresse für {{product}}
            Title: Bestätige deine E-Mail-Adresse

            Bitte bestätige, dass dies deine E-Mail-Adresse für {{product}} ist.

            [E-Mail-Adresse bestätigen]({{link}})

            Der Link funktioniert einmal und nur für kurze Zeit.

            Wenn du dich nicht registriert hast, ignoriere diese Mail: Es passiert nichts.
            """,
        spanish: """
            Subject: Confirma tu correo para {{product}}
            Title: Confirma tu correo

            Confirma que esta es tu dirección de correo para {{product}}.

            [Confirmar correo]({{link}})

            El enlace funciona una sola vez y por poco tiempo.

            Si no te has registrado, ignora este correo: no pasará nada.
            """,
        french: """
            Subject: Confirmez votre adresse e-mail pour {{product}}
            Title: Confirmez votre adresse e-mail

            Veuillez confirmer que cette adresse e-mail est bien la vôtre pour {{product}}.

            [Confirmer l’adresse]({{link}})

            Le lien fonctionne une seule fois, pendant peu de temps.

            Si vous ne vous êtes pas inscrit, ignorez cet e-mail\u{A0}: il ne se passera rien.
            """,
        japanese: """
            Subject: {{product}}：メールアドレスの確認
            Title: メールアドレスの確認

            これが{{product}}で使うご自分のメールアドレスであることを確認してください。

            [メールアドレスを確認する]({{link}})

            リンクは一度だけ、短い時間のみ有効です。

            登録したお心当たりがない場合は、このメールを無視してください。何も起こりません。
            """)

    /// "verify-email-code": a code that verifies an address (G-12).
    static let verifyEmailCode = Wordings(
        english: """
            Subject: Confirm your email for {{product}}
            Title: Confirm your email

            Enter this code in {{product}} to confirm that this is your email address:

            {{code}}

            It works once and is valid for {{minutes}} min. Give it to nobody.

            If you did not ask for it, ignore this mail: nothing will happen.
            """,
        german: """
            Subject: Bestätige deine E-Mail-Adresse für {{product}}
            Title: Bestätige deine E-Mail-Adresse

            Gib diesen Code bei {{product}} ein, um zu bestätigen, dass dies deine E-Mail-Adresse \
            ist:

            {{code}}

            Er funktioniert einmal und gilt {{minutes}} Min. Gib ihn an niemanden weiter.

            Wenn du ihn nicht angefordert hast, ignoriere diese Mail: Es passiert nichts.
            """,
        spanish: """
            Subject: Confirma tu correo para {{product}}
            Title: Confirma tu correo

            Escribe este código en {{product}} para confirmar que esta es tu dirección de correo:

            {{code}}

            Funciona una sola vez y vale {{minutes}} min. No se lo des a nadie.

            Si no lo has pedido, ignora este correo: no pasará nada.
            """,
        french: """
            Subject: Confirmez votre adresse e-mail pour {{product}}
            Title: Confirmez votre adresse e-mail

            Saisissez ce code dans {{product}} pour confirmer que cette adresse e-mail est bien la \
            vôtre\u{A0}:

            {{code}}

            Il fonctionne une seule fois et reste valable {{minutes}} min. Ne le donnez à personne.

            Si vous ne l’avez pas demandé, ignorez cet e-mail\u{A0}: il ne se passera rien.
            """,
        japanese: """
            Subject: {{product}}：メールアドレスの確認
            Title: メールアドレスの確認

            ご自分のメールアドレスであることを確認するため、{{product}}で次のコードを入力してください。

            {{code}}

            コードは一度だけ使え、{{minutes}}分間有効です。誰にも教えないでください。

            お心当たりがない場合は、このメールを無視してください。何も起こりません。
            """)

    /// "sign-in-code": a code to sign in with or to reauthenticate (G-13).
    static let signInCode = Wordings(
        english: """
            Subject: Your sign-in code for {{product}}
            Title: Your sign-in code

            Enter this code to sign in to {{product}}:

            {{code}}

            It works once and is valid for {{minutes}} min. Give it to nobody.

            If you did not ask for it, somebody may be trying to sign in as you. Without the code \
            they cannot.
            """,
        german: """
            Subject: Dein Anmeldecode für {{product}}
            Title: Dein Anmeldecode

            Gib diesen Code ein, um dich bei {{product}} anzumelden:

            {{code}}

            Er funktioniert einmal und gilt {{minutes}} Min. Gib ihn an niemanden weiter.

            Wenn du ihn nicht angefordert hast, versucht vielleicht jemand, sich als du \
            anzumelden. Ohne den Code geht das nicht.
            """,
        spanish: """
            Subject: Tu código de acceso a {{product}}
            Title: Tu código de acceso

            Escribe este código para entrar en {{product}}:

            {{code}}

            Funciona una sola vez y vale {{minutes}} min. No se lo des a nadie.

            Si no lo has pedido, quizá alguien intente entrar en tu cuenta. Sin el código no puede.
            """,
        french: """
            Subject: Votre code de connexion à {{product}}
            Title: Votre code de connexion

            Saisissez ce code pour vous connecter à {{product}}\u{A0}:

            {{code}}

            Il fonctionne une seule fois et reste valable {{minutes}} min. Ne le donnez à personne.

            Si vous ne l’avez pas demandé, quelqu’un essaie peut-être de se connecter à votre \
            place. Sans le code, c’est impossible.
            """,
        japanese: """
            Subject: {{product}}のログインコード
            Title: ログインコード

            {{product}}にログインするには、次のコードを入力してください。

            {{code}}

            コードは一度だけ使え、{{minutes}}分間有効です。誰にも教えないでください。

            お心当たりがない場合は、どなたかがあなたとしてログインしようとしている可能性があります。コードがなければログインできません。
            """)

    /// "reset-password": a link to choose a new password (G-11).
    static let resetPassword = Wordings(
        english: """
            Subject: Choose a new password for {{product}}
            Title: Choose a new password

            Somebody, hopefully you, wants to set a new password for your {{product}} account.

            [Choose a new password]({{link}})

            The link works once, for a short time. With a new password, all your devices are \
            signed out.

            If it was not you, ignore this mail: your password stays as it is.
            """,
        german: """
            Subject: Neues Passwort für {{product}}
            Title: Wähle ein neues Passwort

            Jemand, hoffentlich du, möchte für dein Konto bei {{product}} ein neues Passwort \
            festlegen.

            [Neues Passwort wählen]({{link}})

            Der Link funktioniert einmal und nur für kurze Zeit. Mit dem neuen Passwort werden \
            alle deine Geräte abgemeldet.

            Wenn du das nicht warst, ignoriere diese Mail: Dein Passwort bleibt, wie es ist.
            """,
        spanish: """
            Subject: Nueva contraseña para {{product}}
            Title: Elige una contraseña nueva

            Alguien, esperamos que tú, quiere poner una contraseña nueva a tu cuenta de {{product}}.

            [Elegir contraseña]({{link}})

            El enlace funciona una sola vez y por poco tiempo. Con la contraseña nueva se cerrará \
            la sesión en todos tus dispositivos.

            Si no fuiste tú, ignora este correo: tu contraseña no cambia.
            """,
        french: """
            Subject: Nouveau mot de passe pour {{product}}
            Title: Choisissez un nouveau mot de passe

            Quelqu’un, vous sans doute, souhaite définir un nouveau mot de passe pour votre compte \
            {{product}}.

            [Choisir un mot de passe]({{link}})

            Le lien fonctionne une seule fois, pendant peu de temps. Avec le nouveau mot de passe, \
            tous vos appareils seront déconnectés.

            Si ce n’était pas vous, ignorez cet e-mail\u{A0}: votre mot de passe reste le même.
            """,
        japanese: """
            Subject: {{product}}：新しいパスワードの設定
            Title: 新しいパスワードの設定

            {{product}}のアカウントに新しいパスワードを設定するご依頼がありました。

            [新しいパスワードを設定する]({{link}})

            リンクは一度だけ、短い時間のみ有効です。新しいパスワードを設定すると、すべてのデバイスからログアウトします。

            お心当たりがない場合は、このメールを無視してください。パスワードは変わりません。
            """)
}
