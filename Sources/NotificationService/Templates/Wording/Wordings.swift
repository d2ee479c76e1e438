/// One text in each language. `init` requires all languages, so that none is forgotten. A test
/// checks that all use the same variables.
struct Wordings: Sendable {
    let english: String
    let german: String
    let spanish: String
    let french: String
    let japanese: String

    subscript(_ language: Language) -> String {
        switch language {
        case .english: english
        case .german: german
        case .spanish: spanish
        case .french: french
        case .japanese: japanese
        }
    }
}

extension Wordings {
    /// "phone-code": a code to a phone (G-06). One segment: 160 characters of GSM 03.38, or 70 if
    /// one character is not in it, which is why the Spanish text avoids "código".
    static let phoneCode = Wordings(
        english: """
            {{code}} is your {{product}} code, valid for {{minutes}} min. Give it to nobody.
            """,
        german: """
            {{code}} ist dein Code für {{product}}, gültig {{minutes}} Min. Gib ihn niemandem.
            """,
        spanish: """
            {{code}} es tu clave de {{product}}, vale {{minutes}} min. No se la des a nadie.
            """,
        french: """
            {{code}} est votre code {{product}}, valable {{minutes}} min. Ne le donnez à personne.
            """,
        japanese: """
            {{product}}のコードは{{code}}です（{{minutes}}分間有効）。誰にも教えないでください。
            """)

    /// The footer of every mail: the sender, and what we never ask for in a mail (against
    /// phishing).
    static let footer = Wordings(
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
