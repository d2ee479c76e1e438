import CZlib

/// Compresses a stream of bytes in the raw deflate format (RFC 1951), as ZIP has it: without the
/// header and the checksum of zlib's own format. It owns zlib's state, some 256 KiB.
final class Deflater {
    private static let chunkBytes = 32 * 1_024
    /// The largest window, 32 KiB; negative: no header (zlib's manual, deflateInit2).
    private static let windowBits: Int32 = -15
    private static let memoryLevel: Int32 = 8

    /// zlib keeps this address in its own state, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private var chunk = [UInt8](repeating: 0, count: chunkBytes)

    /// An empty stream.
    /// - Throws: `ZIPError.noMemory`.
    init() throws(ZIPError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let code = deflateInit2_(
            stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, Self.windowBits, Self.memoryLevel,
            Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else {
            stream.deallocate()
            throw .noMemory
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses `bytes`.
    /// - Returns: what is finished of all that came so far; may be empty.
    func append(_ bytes: [UInt8]) throws(ZIPError) -> [UInt8] { try run(bytes, Z_NO_FLUSH) }

    /// Ends the stream.
    /// - Returns: the rest. The next call of `append` begins another stream.
    func end() throws(ZIPError) -> [UInt8] {
        let rest = try run([], Z_FINISH)
        guard deflateReset(stream) == Z_OK else { throw .failed }
        return rest
    }

    private func run(_ bytes: [UInt8], _ flush: Int32) throws(ZIPError) -> [UInt8] {
        var bytes = bytes
        var output: [UInt8] = []
        var code = Z_OK
        bytes.withUnsafeMutableBufferPointer { input in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = uInt(input.count)
            // An output that is not full says that all input is taken (zlib's manual, deflate).
            repeat {
                chunk.withUnsafeMutableBufferPointer { buffer in
                    stream.pointee.next_out = buffer.baseAddress
                    stream.pointee.avail_out = uInt(buffer.count)
                    code = deflate(stream, flush)
                }
                output += chunk.prefix(Self.chunkBytes - Int(stream.pointee.avail_out))
            } while stream.pointee.avail_out == 0 && code >= 0
            stream.pointee.next_in = nil
        }
        // Z_BUF_ERROR: there was nothing to do, which is no failure.
        guard code == Z_OK || code == Z_BUF_ERROR || code == Z_STREAM_END,
            flush != Z_FINISH || code == Z_STREAM_END
        else { throw .failed }
        return output
    }
}

/// The checksum of a file in an archive (ISO 3309), of bytes that come in parts.
struct CRC32: Hashable, Sendable {
    /// The checksum of the bytes so far.
    private(set) var value: UInt32 = 0

    /// Adds bytes.
    mutating func append(_ bytes: [UInt8]) {
        value = bytes.withUnsafeBufferPointer { buffer in
            UInt32(truncatingIfNeeded: crc32(uLong(value), buffer.baseAddress, uInt(buffer.count)))
        }
    }
}

/// Why an archive cannot be written.
enum ZIPError: Error, Hashable, CustomStringConvertible {
    /// zlib has no memory.
    case noMemory
    /// zlib refuses its input.
    case failed
    /// The archive or one of its files reaches 4 GiB, or it has 65,535 files: these need the
    /// format's extension ZIP64.
    case tooLarge
    /// A name is empty, too long, there already, or leads out of the folder into which the archive
    /// is unpacked.
    case badName

    /// What happened, for a log.
    var description: String {
        switch self {
        case .noMemory: "zlib has no memory"
        case .failed: "zlib failed"
        case .tooLarge: "the archive would need ZIP64"
        case .badName: "a file's name is not allowed in an archive"
        }
    }
}
