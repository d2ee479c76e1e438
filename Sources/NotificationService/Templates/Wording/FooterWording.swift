/// The footer of every mail: the sender, and what we never ask for in a mail (against phishing).
enum FooterWording {
    static let wordings = Wordings(
        english: """
            This mail is from {{product}}. We never ask for your password or a code by mail, \
            message or phone.
            """,
        german: """
            Diese Mail ist von {{product}}. Wir fragen nie per Mail, Nachricht oder Telefon nach \
            deinem Passwort oder einem Code.
            """,
        spanish: """
            Este correo es de {{product}}. Nunca te pediremos tu contraseña ni un código por \
            correo, mensaje o teléfono.
            """,
        french: """
            Cet e-mail vient de {{product}}. Nous ne demandons jamais votre mot de passe ni un \
            code par e-mail, message ou téléphone.
            """,
        japanese: """
            このメールは{{product}}からお送りしています。メール、メッセージ、電話でパスワードや\
            コードをお尋ねすることはありません。
            """)
}
