import Messages
import ServiceRuntime

extension PasswordPolicy {
    /// The rules as a checklist, in the order of `rules` (G-26).
    func requirements(in language: ErrorLanguage) -> [IdentityV1.PasswordRule] {
        rules.map { rule in
            let bounds = rule == .length ? codePoints : 0...0
            return IdentityV1.PasswordRule(
                rule: rule.rawValue, sentence: requirement(of: rule, in: language),
                minimum: UInt32(clamping: bounds.lowerBound),
                maximum: UInt32(clamping: bounds.upperBound))
        }
    }

    /// What a rule requires. Most sentences of `auth/weak-password` say that already; these two
    /// speak of the password that was refused.
    private func requirement(of rule: PasswordRule, in language: ErrorLanguage) -> String {
        switch rule {
        case .length: lengthRequirement(in: language)
        case .common: commonRequirement(in: language)
        case .upperCase, .lowerCase, .letter, .digit, .context: rule.sentence(in: language)
        }
    }

    private func lengthRequirement(in language: ErrorLanguage) -> String {
        let (least, most) = (codePoints.lowerBound, codePoints.upperBound)
        return switch language {
        case .english: "The password needs \(least) to \(most) characters."
        case .german: "Das Passwort braucht \(least) bis \(most) Zeichen."
        case .spanish: "La contraseña necesita de \(least) a \(most) caracteres."
        case .french: "Le mot de passe doit contenir de \(least) à \(most) caractères."
        case .japanese: "パスワードは\(least)〜\(most)文字にしてください。"
        }
    }

    private func commonRequirement(in language: ErrorLanguage) -> String {
        switch language {
        case .english: "The password must not be one that many people use."
        case .german: "Das Passwort darf keines sein, das viele Menschen verwenden."
        case .spanish: "La contraseña no debe ser una que usen muchas personas."
        case .french: "Le mot de passe ne doit pas être un de ceux que beaucoup utilisent."
        case .japanese: "多くの人に使われているパスワードは使えません。"
        }
    }
}
