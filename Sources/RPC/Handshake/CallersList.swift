import Cryptography

/// One caller of a service, and what it may do.
package struct CallerEntry: Hashable, Sendable {
    /// The application's name.
    package let application: String
    /// The names in client certificates that stand for it: DNS names and URIs of the subject's
    /// alternative names.
    package let certificateNames: [String]
    /// Whether it may say from which address its user comes.
    package let mayAssertClientAddress: Bool
    /// The methods that it may call; nil for all.
    package let methods: [MethodPattern]?

    /// A caller; unless told otherwise its certificate bears its own name.
    package init(
        application: String, certificateNames: [String]? = nil, mayAssertClientAddress: Bool,
        methods: [MethodPattern]? = nil
    ) {
        self.application = application
        self.certificateNames = certificateNames ?? [application]
        self.mayAssertClientAddress = mayAssertClientAddress
        self.methods = methods
    }
}

/// Who may call a service. No list: nobody.
///
/// In a file, one caller a line: its name, then what holds for it alone.
///
///     # application   what it may do
///     gateway         client-address
///     tool
///     billing         postern.session.v1.Sessions/Validate
///     edge            certificate=spiffe://example.org/edge postern.gateway.v1.Gateway/*
///
/// Without a method all methods are allowed, `…/*` means those of one service, and health is always
/// allowed. Without `certificate=` a certificate must bear the application's own name as a DNS name.
package struct CallersList: Hashable, Sendable {
    /// The callers, each once.
    package let entries: [CallerEntry]

    /// A list of applications that may call everything, but for those that `methods` names.
    package init(
        _ names: [String], assertingClientAddress: [String],
        methods: [String: [MethodPattern]] = [:]
    ) {
        entries = names.map {
            CallerEntry(
                application: $0, mayAssertClientAddress: assertingClientAddress.contains($0),
                methods: methods[$0])
        }
    }

    /// The list in the file's text.
    /// - Throws: `CallersListError`: a mistake must not leave somebody in by being skipped.
    package init(text: String) throws(CallersListError) {
        var entries: [CallerEntry] = []
        for (number, line) in text.split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline
        )
        .enumerated() {
            let words = line.prefix { $0 != "#" }
                .split { $0 == " " || $0 == "\t" }.map(String.init)
            guard let name = words.first else { continue }
            guard entries.count < Self.entriesMax else { throw .tooMany }
            guard !entries.contains(where: { $0.application == name }) else {
                throw .line(number + 1, "\(name) is there twice")
            }
            entries.append(try Self.entry(name, words.dropFirst(), line: number + 1))
        }
        self.entries = entries
    }

    /// Callers of one service.
    private static let entriesMax = 1_000

    private static func entry(
        _ name: String, _ words: ArraySlice<String>, line: Int
    ) throws(CallersListError) -> CallerEntry {
        guard !name.contains("/"), !name.contains("="), !name.contains(".") else {
            throw .line(line, "\(name) is no application's name")
        }
        var certificateNames: [String] = []
        var methods: [MethodPattern] = []
        var mayAssertClientAddress = false
        for word in words {
            if word == "client-address" {
                mayAssertClientAddress = true
            } else if word.hasPrefix("certificate="), word.utf8.count > 12 {
                certificateNames.append(String(word.dropFirst(12)))
            } else if let pattern = MethodPattern(word) {
                methods.append(pattern)
            } else {
                throw .line(
                    line, "\(word) is neither client-address, certificate=NAME nor a method")
            }
        }
        return CallerEntry(
            application: name, certificateNames: certificateNames.isEmpty ? nil : certificateNames,
            mayAssertClientAddress: mayAssertClientAddress, methods: methods.isEmpty ? nil : methods
        )
    }
}

extension CallersList {
    /// The list in the file `path`.
    /// - Throws: `CallersListError`, `SecretFileError` (also for a file that others may write).
    package init(file path: String) throws {
        let content = try SecretFile.readPublic(path, bytesMax: Self.fileBytesMax)
        guard let text = content.withBytes({ String(validating: $0, as: UTF8.self) }) else {
            throw CallersListError.line(1, "the file is not UTF-8 text")
        }
        try self.init(text: text)
    }

    /// The largest list's file, in bytes.
    private static let fileBytesMax = 256 * 1024
}

/// Why a list of callers cannot be taken; says where.
package enum CallersListError: Error, Equatable, CustomStringConvertible {
    /// What is wrong with a line.
    case line(Int, String)
    /// More callers than a list holds.
    case tooMany

    package var description: String {
        switch self {
        case .line(let number, let what): "line \(number) of the callers' list: \(what)"
        case .tooMany: "more than a thousand callers in the list"
        }
    }
}
