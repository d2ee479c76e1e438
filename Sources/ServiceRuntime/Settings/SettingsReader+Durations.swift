extension SettingsReader {
    /// A list of durations, in order: `0s, 1m, 5m`.
    package mutating func durations(
        _ name: String, default standard: [Duration], in range: ClosedRange<Duration>,
        countMax: Int, reason: String
    ) -> [Duration] {
        func written(_ durations: [Duration]) -> String {
            durations.map(DurationText.write).joined(separator: ",")
        }
        let (low, high) = (
            DurationText.write(range.lowerBound), DurationText.write(range.upperBound)
        )
        let declaration = SettingDeclaration(
            name: name,
            expected: "1 to \(countMax) durations from \(low) to \(high), such as 0s,1m,5m",
            unit: "duration,…", defaultText: written(standard), reason: reason, form: .list)
        return take(declaration, default: standard, write: written) { given in
            let durations = given.many.map(DurationText.read)
            guard (1...countMax).contains(durations.count),
                durations.allSatisfy({ $0.map(range.contains) ?? false })
            else { return nil }
            return durations.compactMap(\.self)
        }
    }
}
