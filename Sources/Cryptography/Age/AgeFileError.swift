/// Why an age file cannot be decrypted, with the place in the file.
package struct AgeFileError: Error, Hashable, CustomStringConvertible {
    /// The kind of the error.
    package enum Reason: Hashable, Sendable {
        /// The file does not begin like an age file.
        case notAgeFile
        /// A header line is malformed; the reason.
        case malformedHeader(String)
        /// The header was changed: its MAC does not fit.
        case headerNotAuthentic
        /// The file is encrypted to keys, and no secret key was given.
        case needsKey
        /// The file is encrypted with a passphrase, and none was given.
        case needsPassphrase
        /// The file is encrypted to other keys than those that were given.
        case wrongKey
        /// The file is encrypted with another passphrase, or this header line was changed.
        case wrongPassphrase
        /// The base-2 logarithm of scrypt's cost is above `AgeStanza.workFactorMax`.
        case workFactor(Int)
        /// The file ends too early.
        case truncated
        /// A chunk was changed, moved or cut.
        case chunkNotAuthentic
        /// Something follows the last chunk.
        case trailingData
        /// The last chunk is empty though others precede it, which no program writes.
        case emptyLastChunk
    }

    /// The byte of the file at which the header line or the chunk begins.
    package let offset: Int
    /// The kind of the error there.
    package let reason: Reason

    init(_ offset: Int, _ reason: Reason) {
        self.offset = offset
        self.reason = reason
    }

    package var description: String { "at byte \(offset): \(text)" }

    private var text: String {
        switch reason {
        case .notAgeFile: "this is not an age file (age-encryption.org/v1)"
        case .malformedHeader(let flaw): "the header is damaged: \(flaw)"
        case .headerNotAuthentic: "the header was changed after the file was written"
        case .needsKey: "the file is encrypted to keys: a file with a secret key is needed"
        case .needsPassphrase: "the file is encrypted with a passphrase, which is needed"
        case .wrongKey: "none of the secret keys is one to which the file is encrypted"
        case .wrongPassphrase: "the passphrase is wrong, or this line of the header was changed"
        case .workFactor(let factor):
            "the passphrase's work factor is \(factor), above the limit of "
                + "\(AgeStanza.workFactorMax), with which scrypt takes 1 GiB of memory"
        case .truncated: "the file is cut off"
        case .chunkNotAuthentic: "this chunk of 64 KiB was changed, moved or cut off"
        case .trailingData: "something was appended to the file"
        case .emptyLastChunk: "the last chunk is empty"
        }
    }
}
