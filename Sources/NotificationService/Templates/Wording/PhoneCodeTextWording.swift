/// "phone-code": a code to a phone (G-06). One segment: 160 characters of GSM 03.38, or 70 if one
/// character is not in it, which is why the Spanish text avoids "código".
enum PhoneCodeTextWording {
    static let wordings = Wordings(
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
}
