import Messages
import ServiceRuntime

/// The rules for new passwords (I-02); setting `password-policy`. The requirement documents differ,
/// so the operator chooses:
///
///     policy            requires
///     document          8 to 128 code points, upper case, lower case, digit        D3, FR-003
///     letters-digits    8 to 128 code points, letter, digit                        D2
///     nist              15 to 128 code points                       NIST SP 800-63B-4 §3.1.1.2
///     all of them       not in `CommonPasswords`, not made of the owner's `PasswordContext`;
///                       not among `BreachedPasswords`, where these are looked up
package enum PasswordPolicy: String, CaseIterable, Sendable {
    case document
    case lettersAndDigits = "letters-digits"
    case nist

    /// The rules, in the order in which a rejection lists them.
    var rules: [PasswordRule] {
        switch self {
        case .document: [.length, .upperCase, .lowerCase, .digit, .common, .context]
        case .lettersAndDigits: [.length, .letter, .digit, .common, .context]
        case .nist: [.length, .common, .context]
        }
    }

    /// In code points. The maximum bounds the input of the hash.
    var codePoints: ClosedRange<Int> {
        switch self {
        case .document, .lettersAndDigits: 8...128
        case .nist: 15...128
        }
    }

    /// The rules that `password` violates, in order.
    func broken(by password: Password, _ context: PasswordContext) -> [PasswordRule] {
        password.withScalars { scalars in
            // A text that exceeds the maximum is not examined further.
            guard scalars.count <= codePoints.upperBound else { return [.length] }
            return rules.filter { isBroken($0, by: scalars, context) }
        }
    }

    private func isBroken(
        _ rule: PasswordRule, by scalars: UnsafeBufferPointer<Unicode.Scalar>,
        _ context: PasswordContext
    ) -> Bool {
        switch rule {
        case .length: !codePoints.contains(scalars.count)
        case .upperCase: !scalars.contains { $0.properties.isUppercase }
        case .lowerCase: !scalars.contains { $0.properties.isLowercase }
        case .letter: !scalars.contains { $0.properties.isAlphabetic }
        case .digit: !scalars.contains { $0.properties.numericType == .decimal }
        case .common: CommonPasswords.has(scalars)
        case .context: context.explains(scalars)
        // Of no policy: `BreachedPasswords` are asked.
        case .breached: false
        }
    }
}

extension PasswordPolicy {
    /// Rules as a checklist, in their order (G-26).
    func requirements(of rules: [PasswordRule], in voice: Voice) -> [GatewayV1.PasswordRule] {
        rules.map { rule in
            let bounds = rule == .length ? codePoints : 0...0
            return GatewayV1.PasswordRule(
                rule: rule.rawValue, sentence: rule.requirement(in: voice, codePoints),
                minimum: UInt32(clamping: bounds.lowerBound),
                maximum: UInt32(clamping: bounds.upperBound))
        }
    }
}
