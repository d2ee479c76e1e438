import Logging
import Metrics
import Outbound
package import ServiceRuntime

/// The operator's settings for leaked passwords (I-02).
package struct BreachedPasswordSettings: Settings {
    /// What new passwords are looked up in.
    package enum Mode: String, CaseIterable, Sendable {
        /// Nothing.
        case off
        /// A file on this machine: nothing leaves it.
        case file
        /// A service: five digits of each password's SHA-1 leave the machine.
        case service
    }

    /// A file, opened.
    struct File: Sendable {
        let path: String
        let list: BreachedPasswordList
    }

    /// What new passwords are looked up in.
    package private(set) var mode = Mode.off
    /// From how many leaks on a password is refused.
    package var countMin = 1
    /// With `file`.
    private var file: File?
    /// With `service`: the URL of range queries, without the digits.
    private var url = "https://api.pwnedpasswords.com/range"

    /// Whether a new password must not have leaked.
    var isOn: Bool { mode != .off }

    /// Nothing is looked up.
    package init() {}

    /// A file, for tests.
    /// - Throws: `BreachedListMistake`.
    init(file path: String) throws {
        mode = .file
        file = File(path: path, list: try BreachedPasswordList(path: path))
    }

    /// A service, for tests.
    init(url: String) {
        mode = .service
        self.url = url
    }

    /// Declares every setting and reads its value. The file is opened here, so that a start without
    /// it, or with another file, is refused.
    package init(reading settings: inout SettingsReader) {
        settings.choice(
            "breached-passwords", &mode,
            reason: "Whether new passwords that have leaked are refused, by a file or a service "
                + "(I-02). What cannot be looked up is accepted.")
        let path = settings.optionalPath(
            "breached-passwords-file",
            reason: "With file: lines SHA1:COUNT sorted by SHA-1, as the downloader of Have I Been "
                + "Pwned writes them. It is opened again when it is replaced.")
        settings.string(
            "breached-passwords-url", &url, unit: "URL",
            reason: "With service: range queries are sent there, with five digits of a password's "
                + "SHA-1 after a slash.")
        settings.integer(
            "breached-passwords-count", &countMin, in: 1...1_000_000, unit: "leaks",
            reason: "A password is refused from this number of leaks on.")
        settings.require(
            Self.place(url) != nil, ["breached-passwords-url"],
            "breached-passwords-url must be https without user, password, query and fragment, or "
                + "http on loopback")
        guard mode == .file else { return }
        settings.require(
            path != nil, ["breached-passwords", "breached-passwords-file"],
            "breached-passwords: file needs breached-passwords-file")
        guard let path else { return }
        do throws(BreachedListMistake) {
            file = File(path: path, list: try BreachedPasswordList(path: path))
        } catch {
            settings.require(false, ["breached-passwords-file"], "\(path) \(error.text)")
        }
    }

    /// What looks new passwords up; nil if that is off.
    /// - Parameter trustFile: PEM authorities to trust instead of the system's.
    /// - Throws: `OutboundClient.Unavailable`, `OSThread.NotStarted`.
    func makeBreachedPasswords(
        trustFile: String?, time: any Time, logger: Logger, metrics: any MetricsFactory
    ) throws -> BreachedPasswords? {
        let source: any BreachedPasswordSource
        switch mode {
        case .off: return nil
        case .file:
            guard let file else { throw Self.refused }
            source = try BreachedPasswordFile(path: file.path, list: file.list)
        case .service:
            guard let url = Self.place(url) else { throw Self.refused }
            source = try BreachedPasswordService(
                url: url, trustFile: trustFile, timeout: BreachedPasswordService.timeout,
                time: time)
        }
        return BreachedPasswords(
            in: source, countMin: countMin, time: time, logger: logger, metrics: metrics)
    }

    /// With such settings no program starts.
    private static var refused: ServiceError {
        ServiceError(.internalError, detail: "settings of leaked passwords without their place")
    }

    /// Digits of passwords are sent there. Plain HTTP is allowed only on loopback: for tests, or a
    /// mirror on this machine.
    private static func place(_ text: String) -> HTTPURL? {
        let base = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard !base.contains("?"), let url = HTTPURL(base, allowsPlain: true),
            url.isEncrypted || ["127.0.0.1", "[::1]", "localhost"].contains(url.host)
        else { return nil }
        return url
    }
}
