import ServiceRuntime

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
        _ settings: AgeSettings, birthDate text: String, wasYounger: Bool, on today: CalendarDate
    ) -> Outcome {
        guard settings.gate == .required else { return .ok }
        guard !text.isEmpty else { return .birthDateMissing }
        guard let age = CalendarDate(text: text)?.age(on: today) else { return .birthDateWrong }
        guard wasYounger || age < settings.minimum else { return .ok }
        return settings.parentalConsent == .allowed ? .parentNeeded : .underage
    }
}

/// Ages are counted in whole years at the UTC date, whatever the person's time zone: a time zone
/// could only be believed, not checked. A birthday so begins up to 14 hours late, or 12 hours
/// early. Who was born on February 29 completes a year on March 1 of a year without that day.
extension CalendarDate {
    /// Who is older has mistyped the year.
    static let ageMax = 150

    /// The completed years on a day of who was born on this one; nil for a date that no living
    /// person has.
    func age(on today: CalendarDate) -> Int? {
        let isBefore = (today.month, today.day) < (month, day)
        let years = today.year - year - (isBefore ? 1 : 0)
        return (0...Self.ageMax).contains(years) ? years : nil
    }
}
