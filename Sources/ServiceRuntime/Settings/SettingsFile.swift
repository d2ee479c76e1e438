/// A settings file with flat keys (`listen-port: 7402`) or nested ones, whose names are joined by
/// dashes (`listen:` over `port: 7402`).
///
/// Yams needs all of Foundation, which adds 55 MB to each program; libyaml does not.
struct SettingsFile {
    /// A settings file has a few pages; a larger file is the wrong one.
    static let bytesMax = 262_144

    /// The problems in the file.
    private(set) var problems: [SettingProblem] = []
    private var values: [String: SettingValue] = [:]
    private var places: [String: String] = [:]
    private var lines: [String: Int] = [:]

    /// Reads the file at `path`: JSON where it ends in `.json`, YAML for `.yaml` and `.yml`.
    /// - Parameters:
    ///   - takesPatterns: Whether `*` in a name applies to all settings that it matches.
    ///   - declarations: The settings that may be in it. They can depend on its content
    ///     (`SettingsReader.groups`).
    init(
        path: String, takesPatterns: Bool = false,
        declarations: (SettingsSource) -> [SettingDeclaration]
    ) {
        switch FileText.read(path, bytesMax: Self.bytesMax) {
        case .failure(let failure): problem(path, failure.sentence)
        case .success(let bytes): read(bytes, path)
        }
        let declarations = declarations(source)
        if takesPatterns { expandPatterns(among: declarations) }
        refuseUnknown(among: declarations)
    }

    /// The settings that the file gives.
    var source: SettingsSource {
        let places = places
        return SettingsSource(values) { places[$0] ?? $0 }
    }

    private mutating func read(_ bytes: [UInt8], _ path: String) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return problem(path, "the file is not UTF-8")
        }
        if path.hasSuffix(".json") {
            switch JSONSettings.read(text) {
            case .success(let entries): take(entries, path)
            case .failure(let failure): problem(path, failure.sentence)
            }
        } else if path.hasSuffix(".yaml") || path.hasSuffix(".yml") {
            let settings = SettingsTree(YAMLTree(text))
            take(settings.entries, path)
            for (line, sentence) in settings.problems { problem("\(path) line \(line)", sentence) }
        } else {
            problem(path, "the file's name ends in none of .yaml, .yml and .json")
        }
    }

    private mutating func take(_ entries: [SettingsFile.Entry], _ path: String) {
        for entry in entries {
            let place = entry.line.map { "\(path) line \($0)" } ?? "\(path) \(entry.name)"
            if values[entry.name] != nil {
                let first = lines[entry.name].map { ", first in line \($0)" } ?? ""
                problem(place, "\(entry.name) is given twice\(first)")
            }
            values[entry.name] = entry.value
            places[entry.name] = place
            lines[entry.name] = entry.line
        }
    }

    /// Replaces patterns by the settings that they match, where no name of higher precedence sets
    /// them. A pattern without a match stays and is then rejected as unknown.
    private mutating func expandPatterns(among declarations: [SettingDeclaration]) {
        let patterns = values.keys.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
        for text in patterns {
            guard let pattern = SettingPattern(text), let value = values[text] else { continue }
            let names = declarations.map(\.name).filter(pattern.fits)
            guard !names.isEmpty else { continue }
            values[text] = nil
            for name in names where values[name] == nil {
                values[name] = value
                places[name] = places[text]
            }
        }
    }

    private mutating func refuseUnknown(among declarations: [SettingDeclaration]) {
        let names = declarations.map(\.name)
        for name in values.keys.sorted() where !names.contains(name) {
            let place = (places[name] ?? "") + " " + SettingValue.one(name).quoted
            problems.append(.unknown(name, at: place, among: names, showing: \.self))
        }
    }

    private mutating func problem(_ place: String, _ sentence: String) {
        problems.append(SettingProblem(place: place, sentence: sentence))
    }

    /// One setting of a file.
    struct Entry: Hashable {
        /// The full name, nested keys joined by dashes.
        let name: String
        /// Its value.
        let value: SettingValue
        /// The line, from 1. Nil where the parser does not know it.
        let line: Int?
    }
}
