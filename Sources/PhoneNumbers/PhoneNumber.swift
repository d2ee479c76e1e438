package import ServiceRuntime

/// A telephone number, read once at the door (I-05): `+`, a country's code and digits, as E.164
/// writes it. All spellings that people use of one number become one text; what cannot be told for
/// certain is refused, since a code to the wrong phone lets a stranger in:
///
///     entered                         read as
///     +49 151 123-45678               +4915112345678
///     (+1) 415.555.2671               +14155552671
///     0049 151 12345678               nothing: "00" is dialled in some countries only
///     0151 12345678, 415-555-2671     nothing: national, and nobody knows of which country
///     +49 (0)151 12345678             nothing: the 0 is dialled at home only, but not in Italy
///     +1 415 555 267                  nothing: numbers of the North American plan have ten digits
///     +999 12345678                   nothing: no such country
package struct PhoneNumber: Hashable, Sendable {
    /// Digits behind the `+`: fifteen at most (ITU-T E.164, 6); the shortest in use have eight with
    /// their country.
    private static let digits = 8...15
    /// Of what is read at all, in bytes: a number with a mark between any two digits is shorter.
    private static let enteredBytesMax = 64

    /// In E.164: "+4915112345678".
    package let text: String
    /// Where it is from; nil for a number of no country: satellites, ships, premium services.
    package let country: PhoneCountry?

    /// Reads a number; nil where that is none.
    package init?(_ entered: String) {
        guard entered.utf8.count <= Self.enteredBytesMax, !entered.contains("(0)"),
            let digits = Self.digits(of: entered), Self.digits.contains(digits.count),
            let area = CallingCodes.area(of: digits)
        else { return nil }
        text = "+" + digits
        country = area.country
    }

    /// The number in a request.
    /// - Throws: `auth/invalid-phone-number`.
    package static func required(_ entered: String) throws(ServiceError) -> PhoneNumber {
        guard let number = PhoneNumber(entered) else {
            throw ServiceError(.invalidPhoneNumber, fields: ["phone_number"])
        }
        return number
    }

    /// The digits behind a leading plus; nil for anything but ASCII digits and the marks that
    /// people put between them.
    private static func digits(of entered: String) -> String? {
        let scalars = entered.unicodeScalars.filter { !marks.contains($0) }
        guard scalars.first == "+" else { return nil }
        let digits = scalars.dropFirst()
        guard digits.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
        return String(String.UnicodeScalarView(digits))
    }

    /// Spaces, hyphens, dots and brackets: those of a keyboard, and those that copied texts have
    /// (non-breaking spaces and hyphens, and the marks of direction of an address book).
    private static let marks = Set<Unicode.Scalar>(
        [" ", "-", ".", "(", ")", "[", "]", "\u{A0}", "\u{202F}", "\u{2010}", "\u{2011}"]
            + ["\u{200E}", "\u{202A}", "\u{202C}", "\u{2066}", "\u{2069}"])
}

/// A country by its two letters (ISO 3166-1): "DE".
package struct PhoneCountry: Hashable, Sendable {
    /// Upper case.
    package let code: String

    /// A country that has telephone numbers, in any case; nil for none.
    package init?(_ code: String) {
        let upper = code.uppercased()
        guard CallingCodes.countries.contains(upper) else { return nil }
        self.code = upper
    }

    init(known code: String) { self.code = code }
}
