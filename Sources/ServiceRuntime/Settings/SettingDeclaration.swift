/// The description of one setting.
struct SettingDeclaration: Sendable {
    /// Kebab case: `listen-port` is the flag `--listen-port`, the variable `POSTERN_LISTEN_PORT`
    /// and the key `listen-port` of a file.
    let name: String
    /// The accepted values, for people: "a whole number from 0 to 65535".
    let expected: String
    /// The unit of a number, or the placeholder in `--help`: "port", "milliseconds", "file".
    let unit: String
    /// The default, as an operator would write it. Nil where there is none.
    let defaultText: String?
    /// Why an operator would change it.
    let reason: String
    /// How it may be given and shown.
    let form: Form

    /// How a setting may be given and shown.
    enum Form: Sendable {
        /// One value.
        case value
        /// A boolean. As a flag, its name alone means true.
        case boolean
        /// Several values, separated by commas or given as repeated flags.
        case list
        /// Never a flag, since others can see a program's arguments, and never shown.
        case secret
    }
}

extension SettingDeclaration {
    /// The reason for an operator: without the ids of requirements, which only the sources explain.
    ///
    ///     in the source                         in `--help`
    ///     A session ends at this age (S-02).    A session ends at this age.
    ///     Who may look up accounts (I-09, A-01) Who may look up accounts
    var reasonForPeople: String {
        reason.replacing(#/ ?\([A-Z]-[0-9]{2}(?:, ?[A-Z]-[0-9]{2})*\)/#, with: "")
    }
}

/// A problem in the given settings.
struct SettingProblem: Hashable, Sendable {
    /// The place: `--listen-port`, `POSTERN_LISTEN_PORT`, `settings.yaml line 3`.
    let place: String
    /// The error message, with the valid values.
    let sentence: String

    /// No setting has this name. Suggests the nearest one.
    static func unknown(
        _ name: String, at place: String, among names: [String], showing: (String) -> String
    ) -> SettingProblem {
        let nearest = nearest(to: name, among: names)
        let hint = nearest.map { "; did you mean \(showing($0))?" } ?? ""
        return SettingProblem(place: place, sentence: "there is no such setting\(hint)")
    }

    /// Longer names are not compared, since the cost of the edit distance is the product of both
    /// lengths.
    private static let comparedBytesMax = 64

    /// The name with the smallest edit distance to `given`. Nil where the distance exceeds both two
    /// and a third of the length of `given`.
    static func nearest(to given: String, among names: [String]) -> String? {
        guard given.utf8.count <= comparedBytesMax else { return nil }
        let changesMax = max(2, given.utf8.count / 3)
        let ranked = names.map { (changes: EditDistance.between(given.utf8, $0.utf8), name: $0) }
        return ranked.filter { $0.changes <= changesMax }.min { $0 < $1 }?.name
    }
}
