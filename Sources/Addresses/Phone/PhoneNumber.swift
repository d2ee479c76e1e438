package import ServiceRuntime

/// A phone number, parsed once at the entry point (I-05): `+`, a country code and digits, as in
/// E.164. All common spellings of a number become one text. An ambiguous number is rejected, since
/// a code sent to the wrong phone would let a stranger sign in:
///
///     entered                         parsed as
///     +49 151 123-45678               +4915112345678
///     (+1) 415.555.2671               +14155552671
///     +39 06 1234 5678                +390612345678: in Italy the 0 is a part of the number
///     0049 151 12345678               rejected: only some countries use "00" as a prefix
///     0151 12345678, 415-555-2671     rejected: national numbers of an unknown country
///     +49 0151 12345678, +49 (0)151…  rejected: the 0 is dialled within Germany only
///     +1 415 555 267                  rejected: numbers of the North American plan have ten digits
///     +49 900 1234567                 rejected: premium rate, as shared cost and voicemail
///     +999 12345678                   rejected: there is no such country code
package struct PhoneNumber: Hashable, Sendable {
    /// The number of digits after the `+`: at most fifteen (ITU-T E.164, 6). The shortest numbers
    /// in use have seven with their country code (Tokelau).
    private static let digits = 7...15
    /// The limit on the entered text, in bytes. A number with a separator between any two digits is
    /// shorter.
    static let enteredBytesMax = 64

    /// The number in E.164 form: "+4915112345678".
    package let text: String
    /// The number's country. Nil for a number without one: satellites, ships, freephone services.
    package let country: PhoneCountry?

    /// Parses a number. Nil for an invalid one.
    package init?(_ entered: String) {
        // For callers that have no use for the reason.
        guard let number = try? Self.required(entered) else { return nil }
        self = number
    }

    private init(text: String, country: PhoneCountry?) {
        self.text = text
        self.country = country
    }

    /// Parses the number in a request.
    /// - Throws: `auth/invalid-phone-number`, with the `PhoneNumberRule` that the number breaks.
    package static func required(_ entered: String) throws(ServiceError) -> PhoneNumber {
        let malformed = ServiceError(.invalidPhoneNumber, fields: ["phone_number"])
        guard entered.utf8.count <= enteredBytesMax, let digits = digits(of: entered),
            Self.digits.contains(digits.count)
        else { throw malformed }
        if let rule = NumberingPlan.rule(brokenBy: digits) { throw .invalidPhoneNumber(rule) }
        // In a plan without a trunk prefix, it is unclear whether "(0)" is a part of the number.
        guard !entered.contains("(0)"), let area = CallingCodes.area(of: digits) else {
            throw malformed
        }
        return PhoneNumber(text: "+" + digits, country: area.country)
    }

    /// The texts that were parsed as other numbers before numbering plans were known, while they
    /// ring the same phone: "+49015112345678". A store may have an account under one of them.
    package var formerTexts: [String] {
        NumberingPlan.withTrunkPrefix(String(text.dropFirst())).map { "+" + $0 }
    }

    /// The digits after a leading plus. Nil for characters other than ASCII digits and the usual
    /// separators.
    private static func digits(of entered: String) -> String? {
        let scalars = entered.unicodeScalars.filter { !marks.contains($0) }
        guard scalars.first == "+" else { return nil }
        let digits = scalars.dropFirst()
        guard digits.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
        return String(String.UnicodeScalarView(digits))
    }

    /// Separators: spaces, hyphens, dots and brackets. Those of a keyboard, and those in copied
    /// texts (non-breaking spaces and hyphens, and the bidirectional marks of an address book).
    private static let marks = Set<Unicode.Scalar>(
        [" ", "-", ".", "(", ")", "[", "]", "\u{A0}", "\u{202F}", "\u{2010}", "\u{2011}"]
            + ["\u{200E}", "\u{202A}", "\u{202C}", "\u{2066}", "\u{2069}"])
}

/// A country by its two-letter code (ISO 3166-1): "DE".
package struct PhoneCountry: Hashable, Sendable {
    /// The code in upper case.
    package let code: String

    /// A country with phone numbers, from a code in upper or lower case. Nil for any other code.
    package init?(_ code: String) {
        let upper = code.uppercased()
        guard CallingCodes.countries.contains(upper) else { return nil }
        self.code = upper
    }

    init(known code: String) { self.code = code }
}
