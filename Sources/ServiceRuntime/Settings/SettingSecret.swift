import Glibc

/// A secret that came with the settings: has no description, and is wiped when the last reference
/// goes. The texts it was read from are the operating system's (environment, file).
package final class SettingSecret: Sendable {
    // Written once, before anybody else can see it, and wiped when nobody can any more; only read
    // between.
    private nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer

    /// Takes a copy of `text`.
    init(_ text: some Collection<UInt8>) {
        bytes = .allocate(byteCount: text.count, alignment: 1)
        bytes.copyBytes(from: text)
    }

    deinit {
        if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
        bytes.deallocate()
    }

    /// Lends the bytes for as long as `body` runs.
    package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try body(UnsafeRawBufferPointer(bytes))
    }
}

extension SettingSecret: CustomStringConvertible, CustomReflectable {
    /// Never the secret.
    package var description: String { "(secret)" }
    /// Never the secret, for `dump` and for debuggers' mirrors too.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
