import EmailAddresses

/// Which passwords are taken (I-02), as the feature specification asks (D3, FR-003):
///
///     rule          field                   holds where the password has, in Form C,
///     length        password.length         8 to 128 code points
///     upper case    password.upper-case     an upper-case letter, of any script
///     lower case    password.lower-case     a lower-case letter, of any script
///     digit         password.digit          a decimal digit
///
/// Other policies and a list of the commonest passwords come with the settings that choose them.
enum PasswordRule: String, CaseIterable, Sendable {
    case length = "password.length"
    case upperCase = "password.upper-case"
    case lowerCase = "password.lower-case"
    case digit = "password.digit"

    /// In code points: NIST SP 800-63B-4 §3.1.1.2 for the least; the most keeps a hash's input
    /// small.
    static let codePoints = 8...128

    /// The rules that `password` breaks, in the order of the table.
    static func broken(by password: String) -> [PasswordRule] {
        let normal = String(decoding: NormalFormC.utf8(of: password), as: UTF8.self)
        return allCases.filter { !$0.holds(for: normal.unicodeScalars) }
    }

    private func holds(for scalars: String.UnicodeScalarView) -> Bool {
        switch self {
        case .length: Self.codePoints.contains(scalars.count)
        case .upperCase: scalars.contains { $0.properties.isUppercase }
        case .lowerCase: scalars.contains { $0.properties.isLowercase }
        case .digit: scalars.contains { $0.properties.numericType == .decimal }
        }
    }
}
