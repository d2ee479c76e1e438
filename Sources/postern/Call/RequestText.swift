import Glibc

/// The request as given on the command line.
enum RequestText: Equatable {
    /// The argument itself.
    case text(String)
    /// `@FILE`.
    case file(String)
    /// `-`.
    case standardInput

    init(_ argument: String) {
        if argument == "-" {
            self = .standardInput
        } else if argument.hasPrefix("@") {
            self = .file(String(argument.dropFirst()))
        } else {
            self = .text(argument)
        }
    }

    /// The whole text, for a method that takes one message.
    func whole() throws -> String {
        switch self {
        case .text(let text): text
        case .file(let path): String(decoding: try TextFile.read(path), as: UTF8.self)
        case .standardInput: String(decoding: try TextFile.read("-"), as: UTF8.self)
        }
    }

    /// The lines, for a method that takes items; those of standard input as they arrive.
    func lines() throws -> ItemLines {
        switch self {
        case .text, .file: ItemLines(Array(try whole().utf8))
        case .standardInput: ItemLines(file: STDIN_FILENO)
        }
    }
}
