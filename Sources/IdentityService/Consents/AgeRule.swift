import ServiceRuntime

/// What a birth date means for a sign-up (G-23), where the gate is on (`AgeGate`). Pure.
///
///     birth date    this device was younger   parental consent   outcome
///     none          any                       any                refused: `auth/consent-required`
///     impossible    any                       any                refused: `rpc/invalid-argument`
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
    /// - Throws: `auth/consent-required` without a birth date, `rpc/invalid-argument` for one that
    ///   no living person has, or that is no date.
    static func outcome(
        _ settings: AgeSettings, birthDate text: String, wasYounger: Bool, on today: CalendarDate
    ) throws(ServiceError) -> Outcome {
        guard !text.isEmpty else { throw .birthDateRequired }
        guard let age = CalendarDate(text: text)?.age(on: today) else {
            throw .invalidArgument(
                "acceptance.birth_date",
                "Use a day of the last \(CalendarDate.ageMax) years, as 2001-12-31.")
        }
        guard wasYounger || age < settings.minimum else { return .ok }
        return settings.parentalConsent == .allowed ? .parentNeeded : .underage
    }

    /// When a child reaches the least age. A date that is old enough is not believed: the device has
    /// given a younger one. Then it is as long as a newborn needs.
    static func ofAge(
        _ settings: AgeSettings, birthDate text: String, _ now: Timestamp
    ) -> Timestamp {
        let longest = now + .seconds(Int64(settings.minimum) * CalendarDate.longestYearSeconds)
        guard let date = CalendarDate(text: text)?.birthday(settings.minimum), date > now else {
            return longest
        }
        return min(date, longest)
    }
}

/// Ages are counted in whole years at the UTC date, whatever the person's time zone: a time zone
/// could only be believed, not checked. A birthday so begins up to 14 hours late, or 12 hours
/// early. A person born on February 29 completes a year on March 1 of a year without that day.
extension CalendarDate {
    /// A greater age is a mistyped year.
    static let ageMax = 150
    /// A leap year.
    fileprivate static let longestYearSeconds: Int64 = 366 * 86_400

    /// The moment at which a person born on this date completes a number of years: the start of that
    /// UTC date. Nil beyond the year 9999.
    fileprivate func birthday(_ years: Int) -> Timestamp? {
        let date =
            CalendarDate(year: year + years, month: month, day: day)
            ?? CalendarDate(year: year + years, month: 3, day: 1)
        return date.map { Timestamp(milliseconds: $0.daysSince1970 * 86_400_000) }
    }

    /// The age on a day of a person born on this date, in completed years; nil for a date that no
    /// living person has.
    func age(on today: CalendarDate) -> Int? {
        let isBefore = (today.month, today.day) < (month, day)
        let years = today.year - year - (isBefore ? 1 : 0)
        return (0...Self.ageMax).contains(years) ? years : nil
    }
}
