import Cryptography

/// The applications that may call a service. Without a list none may.
///
/// In a file, each line is one caller: its name, then its permissions.
///
///     # application   what it may do
///     gateway         client-address
///     tool
///     billing         postern.session.v1.Sessions/ValidateAccessToken
///     edge            certificate=spiffe://example.org/edge postern.gateway.v1.Gateway/*
///     web             client-address application-tokens public-methods
///
/// A line without a method allows all methods, except those that a server requires to be named; or
/// the ones that the server has for this caller (`limited(to:)`). `…/*` means all methods of one
/// service, and `public-methods` those that browsers and phones may call. With `application-tokens`
/// its calls may carry tokens of other applications. Health is always allowed. Without
/// `certificate=` a certificate must contain the application's own name as a DNS name.
package struct CallersList: Hashable, Sendable {
    /// The callers, each once.
    package let entries: [Entry]

    /// A list of applications that may call everything, except those that `methods` restricts.
    package init(
        _ names: [String], assertingClientAddress: [String], carryingTokens: Set<String> = [],
        methods: [String: [MethodPattern]] = [:]
    ) {
        entries = names.map {
            Entry(
                application: $0, mayAssertClientAddress: assertingClientAddress.contains($0),
                mayCarryTokens: carryingTokens.contains($0), methods: methods[$0])
        }
    }

    private init(entries: [Entry]) { self.entries = entries }

    /// The list in which an entry that names no methods has those of its application in `methods`.
    ///
    /// Attack: an operator lists `notification` like every other caller. Without this, whoever
    /// takes that service over could call everything.
    package func limited(to methods: [String: [MethodPattern]]) -> CallersList {
        CallersList(
            entries: entries.map { entry in
                Entry(
                    application: entry.application, certificateNames: entry.certificateNames,
                    mayAssertClientAddress: entry.mayAssertClientAddress,
                    mayCarryTokens: entry.mayCarryTokens,
                    methods: entry.methods ?? methods[entry.application])
            })
    }

    /// Methods that entries name by a former name, for a warning. They are permitted.
    package var formerMethodNames: [String] {
        entries.flatMap { $0.methods ?? [] }.filter(\.isFormerName).map(\.description)
    }

    /// The entries' methods that match none of the server's `methods`, for a warning: a name that
    /// was mistyped permits nothing. A service that has moved comes with its current name.
    package func unknownMethods(of methods: [String]) -> [String] {
        entries.flatMap { $0.methods ?? [] }.filter { pattern in
            pattern != .publicMethods
                && !methods.contains { pattern.matches($0, isPublic: false) }
        }.map { pattern in
            let service = pattern.description.prefix { $0 != "/" }
            let current = FormerMethodNames.movedServices[String(service)]
            return current.map { "\(pattern) (now in \($0))" } ?? pattern.description
        }
    }

    /// Parses the text of a callers file.
    /// - Parameter file: The file's path, for errors.
    /// - Throws: `ParseError` with all mistakes. An invalid line is an error, because skipping it
    ///   could leave a caller more permissions than intended.
    package init(text: String, file: String? = nil) throws(ParseError) {
        var entries: [Entry] = []
        var mistakes: [ParseError.Mistake] = []
        for (index, line) in text.split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline
        )
        .enumerated() {
            let words = line.prefix { $0 != "#" }
                .split { $0 == " " || $0 == "\t" }.map(String.init)
            guard let name = words.first else { continue }
            guard entries.count < Self.entriesMax else {
                mistakes.append(.init(line: index + 1, sentence: "more than a thousand callers"))
                break
            }
            var sentences: [String] = []
            if entries.contains(where: { $0.application == name }) {
                sentences.append("\(name) is listed twice")
            }
            entries.append(Self.entry(name, words.dropFirst(), &sentences))
            mistakes += sentences.map { ParseError.Mistake(line: index + 1, sentence: $0) }
        }
        guard mistakes.isEmpty else { throw ParseError(file: file, mistakes: mistakes) }
        self.entries = entries
    }

    /// Number of callers of one service.
    private static let entriesMax = 1_000

    /// The entry of one line. Its mistakes are added to `mistakes`.
    private static func entry(
        _ name: String, _ words: ArraySlice<String>, _ mistakes: inout [String]
    ) -> Entry {
        if name.contains("/") || name.contains("=") || name.contains(".") {
            mistakes.append("\(name) is not an application name")
        }
        var certificateNames: [String] = []
        var methods: [MethodPattern] = []
        var mayAssertClientAddress = false
        var mayCarryTokens = false
        for word in words {
            if word == "client-address" {
                mayAssertClientAddress = true
            } else if word == "application-tokens" {
                mayCarryTokens = true
            } else if word.hasPrefix("certificate="), word.utf8.count > 12 {
                certificateNames.append(String(word.dropFirst(12)))
            } else if let pattern = MethodPattern(word) {
                methods.append(pattern)
            } else {
                mistakes.append(
                    "\(word) is neither client-address, application-tokens, certificate=NAME nor a "
                        + "method or public-methods")
            }
        }
        return Entry(
            application: name, certificateNames: certificateNames.isEmpty ? nil : certificateNames,
            mayAssertClientAddress: mayAssertClientAddress, mayCarryTokens: mayCarryTokens,
            methods: methods.isEmpty ? nil : methods)
    }

    /// One caller of a service and its permissions.
    package struct Entry: Hashable, Sendable {
        /// The application's name.
        package let application: String
        /// The names in client certificates that identify it: DNS names and URIs of the subject
        /// alternative names.
        package let certificateNames: [String]
        /// Whether it may assert the IP address of its user.
        package let mayAssertClientAddress: Bool
        /// Whether its calls may carry tokens of other applications.
        package let mayCarryTokens: Bool
        /// The methods that it may call; nil for all.
        package let methods: [MethodPattern]?

        /// A caller. By default its certificate must contain the application's name.
        package init(
            application: String, certificateNames: [String]? = nil, mayAssertClientAddress: Bool,
            mayCarryTokens: Bool = false, methods: [MethodPattern]? = nil
        ) {
            self.application = application
            self.certificateNames = certificateNames ?? [application]
            self.mayAssertClientAddress = mayAssertClientAddress
            self.mayCarryTokens = mayCarryTokens
            self.methods = methods
        }
    }

    /// Why a callers list is invalid: all its mistakes.
    package struct ParseError: Error, Equatable, CustomStringConvertible {
        /// The path of the file; nil for a text without one.
        package let file: String?
        /// The mistakes, in the order of their lines.
        package let mistakes: [Mistake]

        /// The file and all mistakes.
        package var description: String {
            "\(file ?? "the callers' list"): "
                + mistakes.map { "line \($0.line): \($0.sentence)" }.joined(separator: "; ")
        }

        /// A mistake in a line.
        package struct Mistake: Hashable, Sendable {
            /// The line's number, from 1.
            package let line: Int
            /// The error message, a sentence.
            package let sentence: String
        }
    }
}

extension CallersList {
    /// Reads the list from the file `path`.
    /// - Throws: `ParseError`; `SecretFileError`, also for a file that other users may write.
    package init(file path: String) throws {
        let content = try SecretFile.readPublic(path, bytesMax: Self.fileBytesMax)
        guard let text = content.withBytes({ String(validating: $0, as: UTF8.self) }) else {
            throw ParseError(
                file: path, mistakes: [.init(line: 1, sentence: "the file is not UTF-8 text")])
        }
        try self.init(text: text, file: path)
    }

    /// Size limit of a callers file, in bytes.
    private static let fileBytesMax = 256 * 1024
}
