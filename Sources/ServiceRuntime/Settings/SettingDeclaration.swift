/// What a program says of one of its settings.
struct SettingDeclaration: Sendable {
    /// Kebab case: `listen-port` is the flag `--listen-port`, the variable `POSTERN_LISTEN_PORT`
    /// and the key `listen-port` of a file.
    let name: String
    /// What may be given, for people: "a whole number from 0 to 65535".
    let expected: String
    /// What a number counts, or what stands for the value in help: "port", "milliseconds", "file".
    let unit: String
    /// The default, as it would be written; nil where nothing is set by default.
    let defaultText: String?
    /// Why one would change it.
    let reason: String
    /// How it may be given and shown.
    let form: SettingForm
}

/// How a setting may be given and shown.
enum SettingForm: Sendable {
    /// One value.
    case value
    /// True or false; as a flag, its name alone means true.
    case claim
    /// Several values, separated by commas or given again and again.
    case list
    /// Never a flag, since others can see a program's arguments, and never shown.
    case secret
}

/// One thing that is wrong with what was given.
struct SettingMistake: Hashable, Sendable {
    /// Where: `--listen-port`, `POSTERN_LISTEN_PORT`, `settings.yaml line 3`.
    let place: String
    /// What is wrong and what would be right.
    let sentence: String

    /// No setting has this name; names the nearest one.
    static func unknown(
        _ name: String, at place: String, among names: [String], showing: (String) -> String
    ) -> SettingMistake {
        let nearest = NearestName.of(name, among: names)
        let hint = nearest.map { "; did you mean \(showing($0))?" } ?? ""
        return SettingMistake(place: place, sentence: "there is no such setting\(hint)")
    }
}

/// A setting with the value that holds and where it came from.
struct SettingInForce: Sendable {
    /// The setting's name.
    let name: String
    /// Its value as it would be written; secrets already hidden.
    let text: String
    /// `default`, or the place that gave it.
    let origin: String
}
