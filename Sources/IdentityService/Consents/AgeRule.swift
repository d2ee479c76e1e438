/// What a birth date means for a sign-up (G-23). Pure.
///
///     birth date    this device was younger   parental consent   outcome
///     (gate off)    any                       any                ok
///     none          any                       any                birth date missing
///     impossible    any                       any                birth date wrong
///     old enough    no                        any                ok
///     old enough    within 24 hours           off                underage
///     younger       any                       off                underage
///     old enough    within 24 hours           allowed            parent needed
///     younger       any                       allowed            parent needed
///
/// It applies wherever an account with a sign-in method comes to be, like `ConsentRule`. Guests are
/// asked when they become accounts.
enum AgeRule {
    enum Outcome: Hashable, Sendable {
        case ok
        case birthDateMissing
        /// No living person has it, or it is no date.
        case birthDateWrong
        /// The account needs the consent of a parent.
        case parentNeeded
        /// The sign-up is refused with `auth/underage-user`.
        case underage
    }

    /// The outcome for a birth date as text.
    /// - Parameters:
    ///   - text: "YYYY-MM-DD"; empty if not given.
    ///   - wasYounger: The device has given a birth date below the least age within 24 hours. The
    ///     attack: the child tries again with another date.
    ///   - today: The UTC date.
    static func outcome(
        _ settings: AgeSettings, birthDate text: String, wasYounger: Bool, on today: BirthDate
    ) -> Outcome {
        guard settings.gate == .required else { return .ok }
        guard !text.isEmpty else { return .birthDateMissing }
        guard let age = BirthDate(text: text)?.age(on: today) else { return .birthDateWrong }
        guard wasYounger || age < settings.minimum else { return .ok }
        return settings.parentalConsent == .allowed ? .parentNeeded : .underage
    }
}
