/// The same with the default in the call, and the value as its result.
extension SettingsReader {
    /// A whole number.
    package mutating func integer(
        _ name: String, default standard: Int, in range: ClosedRange<Int>, unit: String,
        reason: String
    ) -> Int {
        var value = standard
        integer(name, &value, in: range, unit: unit, reason: reason)
        return value
    }

    /// A fraction from 0 to 1.
    package mutating func fraction(
        _ name: String, default standard: Double, reason: String
    ) -> Double {
        var value = standard
        fraction(name, &value, reason: reason)
        return value
    }

    /// A duration.
    package mutating func duration(
        _ name: String, default standard: Duration, in range: ClosedRange<Duration>,
        reason: String
    ) -> Duration {
        var value = standard
        duration(name, &value, in: range, reason: reason)
        return value
    }

    /// A duration, or `forever`, which is nil.
    package mutating func durationOrForever(
        _ name: String, default standard: Duration, in range: ClosedRange<Duration>,
        reason: String
    ) -> Duration? {
        var value: Duration? = standard
        durationOrForever(name, &value, in: range, reason: reason)
        return value
    }

    /// A boolean.
    package mutating func boolean(
        _ name: String, default standard: Bool, reason: String
    ) -> Bool {
        var value = standard
        boolean(name, &value, reason: reason)
        return value
    }

    /// One of an enumeration's values.
    package mutating func choice<Choice: CaseIterable & RawRepresentable<String>>(
        _ name: String, default standard: Choice, reason: String
    ) -> Choice {
        var value = standard
        choice(name, &value, reason: reason)
        return value
    }

    /// A list of durations.
    package mutating func durations(
        _ name: String, default standard: [Duration], in range: ClosedRange<Duration>,
        countMax: Int, reason: String
    ) -> [Duration] {
        var value = standard
        durations(name, &value, in: range, countMax: countMax, reason: reason)
        return value
    }

    /// A text.
    package mutating func string(
        _ name: String, default standard: String, unit: String, reason: String
    ) -> String {
        var value = standard
        string(name, &value, unit: unit, reason: reason)
        return value
    }

    /// The path of a file or folder.
    package mutating func path(
        _ name: String, default standard: String, use: PathUse, reason: String
    ) -> String {
        var value = standard
        path(name, &value, use: use, reason: reason)
        return value
    }

    /// A list of texts.
    package mutating func strings(
        _ name: String, default standard: [String], unit: String, reason: String
    ) -> [String] {
        var value = standard
        strings(name, &value, unit: unit, reason: reason)
        return value
    }

    /// A list of addresses.
    package mutating func addresses(
        _ name: String, default standard: [ServiceAddress], reason: String
    ) -> [ServiceAddress] {
        var value = standard
        addresses(name, &value, reason: reason)
        return value
    }

    /// A list of values of a type that `parse` reads.
    package mutating func parsedList<Value: CustomStringConvertible>(
        _ name: String, default standard: [Value], counts: ClosedRange<Int>, expected: String,
        unit: String, reason: String, parse: (String) -> Value?
    ) -> [Value] {
        var values = standard
        parsedList(
            name, &values, counts: counts, expected: expected, unit: unit, reason: reason,
            parse: parse)
        return values
    }
}
