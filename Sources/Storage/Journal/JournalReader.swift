import Glibc
import ServiceRuntime

/// Reads the frames of a file from its beginning and checks each before it returns it.
struct JournalReader: ~Copyable {
    /// The initial buffer, and the block size when scanning for a frame.
    private static let blockBytes = 1 << 20
    private let path: String
    private let generation: UInt64
    private let file: Int32
    private let size: Int
    private var bytes = UnsafeMutableRawBufferPointer.allocate(
        byteCount: blockBytes, alignment: 8)
    /// Where the next frame begins.
    private(set) var offset = 0
    /// How many frames have been read.
    private(set) var frames: UInt64 = 0

    init(_ path: String, generation: UInt64) throws {
        file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw PrivateFile.failure(path) }
        var status = stat()
        guard fstat(file, &status) == 0 else {
            let failure = PrivateFile.failure(path)
            close(file)
            throw failure
        }
        self.path = path
        self.generation = generation
        size = Int(status.st_size)
    }

    deinit {
        close(file)
        bytes.deallocate()
    }

    /// Whether all of the file has been read.
    var isAtEnd: Bool { offset >= size }

    /// Skips the next frame, which another thread reads; only its header is checked.
    /// - Returns: false when there is none at this offset.
    mutating func skip() throws -> Bool {
        guard let frame = try header(at: offset, number: frames) else { return false }
        offset += JournalFrame.headerBytes + frame.length
        frames += 1
        return true
    }

    /// Whether the next frame is the end marker: one without payload.
    mutating func isAtMark() throws -> Bool {
        try header(at: offset, number: frames)?.length == 0
    }

    /// Passes the next frame's payload to `body`.
    /// - Returns: false when there is no intact frame at this offset.
    mutating func next(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        guard let payload = try frame(at: offset, number: frames) else { return false }
        try body(payload)
        offset += JournalFrame.headerBytes + payload.count
        frames += 1
        return true
    }

    /// Whether the file begins as a log does, intact or torn. Another file, or one that was
    /// overwritten, is damaged and not empty.
    func beginsAsLog() throws -> Bool {
        var header = [UInt8](repeating: 0, count: min(size, JournalFrame.headerBytes))
        try header.withUnsafeMutableBytes { try fill($0, from: 0) }
        return JournalFrame.mayBegin(file: header)
    }

    /// Whether an intact frame of this file begins anywhere after this offset: then the end here
    /// was not torn off but damaged.
    mutating func findsLaterFrame() throws -> Bool {
        let block = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.blockBytes, alignment: 8)
        defer { block.deallocate() }
        var start = offset + 8
        while start + JournalFrame.headerBytes <= size {
            let length = min(block.count, (size - start) / 8 * 8)
            try fill(UnsafeMutableRawBufferPointer(rebasing: block[..<length]), from: start)
            // All frames are a multiple of 8 bytes long.
            for place in stride(from: 0, to: length, by: 8)
            where JournalFrame.mayBegin(UnsafeRawBufferPointer(block), at: place) {
                if try frame(at: start + place, number: nil) != nil { return true }
            }
            start += length
        }
        return false
    }

    private mutating func frame(at place: Int, number: UInt64?) throws -> UnsafeRawBufferPointer? {
        guard let frame = try header(at: place, number: number) else { return nil }
        try read(frame.length, at: place + JournalFrame.headerBytes)
        let payload = UnsafeRawBufferPointer(rebasing: bytes[..<frame.length])
        return frame.holds(payload) ? payload : nil
    }

    private mutating func header(at place: Int, number: UInt64?) throws -> JournalFrame? {
        guard place + JournalFrame.headerBytes <= size else { return nil }
        try read(JournalFrame.headerBytes, at: place)
        guard let frame = JournalFrame(header: UnsafeRawBufferPointer(bytes)),
            frame.generation == generation, number.map({ $0 == frame.number }) ?? true,
            frame.length <= size - place - JournalFrame.headerBytes
        else { return nil }
        return frame
    }

    private mutating func read(_ count: Int, at place: Int) throws {
        if count > bytes.count {
            bytes.deallocate()
            bytes = .allocate(byteCount: count * 2, alignment: 8)
        }
        try fill(UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]), from: place)
    }

    private func fill(_ bytes: UnsafeMutableRawBufferPointer, from place: Int) throws {
        guard Files.read(into: bytes, from: file, at: place) == bytes.count else {
            throw PrivateFile.failure(path)
        }
    }
}

extension Journal {
    /// Reads all files of a journal that no program has open, and checks each frame. A torn end of
    /// the newest log is cut off, as at a start.
    /// - Throws: `JournalError` with the file and the place, `SQLError`.
    package static func check(folder: String, name: String) throws {
        let place = JournalFolder(folder: folder, name: name)
        guard try !(place.logs() + place.snapshots()).isEmpty else { return }
        _ = try JournalRecovery(folder: place, files: DiskFiles(), source: NoState()).run()
    }

    /// Takes any content: only the frames are checked.
    private final class NoState: JournalSource {
        let journalParts = 0

        func takeChanges(into bytes: inout JournalBytes) -> Bool { false }

        func copyPart(_ part: Int, into bytes: inout JournalBytes) {}

        func restorePart(_ bytes: UnsafeRawBufferPointer) {}

        func restoreChanges(_ bytes: UnsafeRawBufferPointer, thread: Int, of threads: Int) {}
    }
}
