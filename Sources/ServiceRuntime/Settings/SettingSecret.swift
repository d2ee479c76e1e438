import Glibc

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
