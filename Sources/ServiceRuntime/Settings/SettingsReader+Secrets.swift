import Glibc

extension SettingsReader {
    /// The largest size of one secret, in bytes. A private key with its certificate chain fits.
    private static var secretBytesMax: Int { 65_536 }

    /// An optional secret.
    ///
    /// It comes from the environment, from the settings file, or from a file of its own that
    /// `NAME-file` names, so that the flag shows a path and not the secret. One newline at the end
    /// of that file is removed. A secret is never a flag: every user of a machine can read the
    /// arguments of a running program.
    package mutating func secret(_ name: String, reason: String) -> SettingSecret? {
        let file = optionalPath(name + "-file", reason: "The file that holds \(name).")
        let direct: SettingSecret? = readOptional(
            name, .secret, expected: "1 to \(Self.secretBytesMax) bytes", unit: "secret",
            reason: reason, write: { _ in "(secret)" }
        ) { given in
            given.one.flatMap { Self.secret(Array($0.utf8)) }
        }
        guard let file else { return direct }
        let place = given(name + "-file")?.source.place(name + "-file") ?? name + "-file"
        if given(name) != nil {
            problem(name, at: place, "\(name) is set directly too; set one of the two")
            return direct
        }
        return readFile(file, for: name, at: place)
    }

    private mutating func readFile(
        _ file: String, for name: String, at place: String
    ) -> SettingSecret? {
        switch FileText.read(file, bytesMax: Self.secretBytesMax + 1) {
        case .failure(let failure):
            problem(name, at: place, failure.sentence)
            return nil
        case .success(var bytes):
            defer { FileText.wipe(&bytes) }
            if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
            guard let secret = Self.secret(bytes) else {
                problem(name, at: place, "the file is empty or too large")
                return nil
            }
            return secret
        }
    }

    private static func secret(_ bytes: [UInt8]) -> SettingSecret? {
        (1...secretBytesMax).contains(bytes.count) ? SettingSecret(bytes) : nil
    }
}

/// A secret from the settings. It has no description, and its bytes are overwritten when the last
/// reference is released. The text that it was read from belongs to the operating system
/// (environment, file).
package final class SettingSecret: Sendable {
    // Written once in `init` and overwritten in `deinit`, when no other reference exists. Only read
    // in between.
    private nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer

    /// Copies `text`.
    init(_ text: some Collection<UInt8>) {
        bytes = .allocate(byteCount: text.count, alignment: 1)
        bytes.copyBytes(from: text)
    }

    deinit {
        if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
        bytes.deallocate()
    }

    /// Lends the bytes to `body` for the duration of the call.
    package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try body(UnsafeRawBufferPointer(bytes))
    }
}

extension SettingSecret: CustomStringConvertible, CustomReflectable {
    /// A placeholder, never the secret.
    package var description: String { "(secret)" }
    /// An empty mirror, so that `dump` and debuggers do not show the secret.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
