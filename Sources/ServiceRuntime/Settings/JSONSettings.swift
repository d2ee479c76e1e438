import JSON

/// Reads settings from JSON: an object of strings, whole numbers, booleans, lists of them, and
/// objects.
enum JSONSettings {
    private static let options = JSONReader.Options(
        depthMax: 64, membersMax: .max, retainsNumberTexts: true, acceptsNUL: true)
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The settings of a file's text.
    static func read(_ text: String) -> Result<[SettingsFile.Entry], FileText.Failure> {
        var bytes = Array(text.utf8)
        if bytes.starts(with: byteOrderMark) { bytes.removeFirst(byteOrderMark.count) }
        do {
            guard case .object(let object) = try JSONReader.value(in: bytes, options) else {
                return .failure(.init(sentence: "the file's top is not an object"))
            }
            return .success(try entries(object, after: ""))
        } catch let failure as FileText.Failure {
            return .failure(failure)
        } catch let error as JSONError {
            let line = bytes.prefix(error.position).count { $0 == UInt8(ascii: "\n") } + 1
            return .failure(notSettings("\(error.reason), in line \(line)"))
        } catch {
            return .failure(notSettings("\(error)"))
        }
    }

    private static func entries(
        _ object: JSONObject, after prefix: String
    ) throws -> [SettingsFile.Entry] {
        try object.members.sorted { $0.name < $1.name }.flatMap { member in
            let name = prefix + member.name
            if case .object(let inner) = member.value {
                return try entries(inner, after: name + "-")
            }
            return [SettingsFile.Entry(name: name, value: try value(member.value, name), line: nil)]
        }
    }

    private static func value(_ value: JSONValue, _ name: String) throws -> SettingValue {
        if case .array(let values) = value {
            return .many(
                try values.map { value in
                    guard let text = try text(value, name) else {
                        throw FileText.Failure(sentence: "\(name) holds more than a list of values")
                    }
                    return text
                })
        }
        guard let text = try text(value, name) else {
            throw FileText.Failure(sentence: "\(name) has no value")
        }
        return .one(text)
    }

    /// The text of a single value. Nil for null, lists and objects.
    private static func text(_ value: JSONValue, _ name: String) throws -> String? {
        switch value {
        case .string(let text): return text
        case .boolean(let claim): return String(claim)
        case .number(let digits):
            // `5.0` and `5e3` are whole, too.
            guard let number = Int(digits) ?? Double(digits).flatMap(Int.init(exactly:)) else {
                throw notSettings("\(name) is not a whole number")
            }
            return String(number)
        case .null, .array, .object, .integer, .real: return nil
        }
    }

    private static func notSettings(_ reason: String) -> FileText.Failure {
        FileText.Failure(sentence: "the file is not the JSON of settings: \(reason)")
    }
}
