import Messages
import ServiceRuntime

extension PasswordPolicy {
    /// The rules as a checklist, in the order of `rules` (G-26).
    func requirements(in voice: Voice) -> [IdentityV1.PasswordRule] {
        rules.map { rule in
            let bounds = rule == .length ? codePoints : 0...0
            return IdentityV1.PasswordRule(
                rule: rule.rawValue, sentence: requirement(of: rule, in: voice),
                minimum: UInt32(clamping: bounds.lowerBound),
                maximum: UInt32(clamping: bounds.upperBound))
        }
    }

    /// What a rule requires. Most sentences of `auth/weak-password` say that already; these two
    /// speak of the password that was refused.
    private func requirement(of rule: PasswordRule, in voice: Voice) -> String {
        switch rule {
        case .length:
            voice.sentence("password-needs/length")
                .replacing("{{minimum}}", with: "\(codePoints.lowerBound)")
                .replacing("{{maximum}}", with: "\(codePoints.upperBound)")
        case .common: voice.sentence("password-needs/common")
        case .upperCase, .lowerCase, .letter, .digit, .context: rule.sentence(in: voice)
        }
    }
}
