import ServiceRuntime
import TestSupport
import Testing

@testable import Cryptography

@Suite("age files: every change is refused with its place, and nothing changed is returned")
struct AgeDamageTests {
    private static let chunkBytes = AgePayload.sealedChunkBytes
    private let key: AgeTestKey
    private let content = AgeFile.content(2 * 65_536 + 1_000)
    private let file: [UInt8]
    /// The place of the first chunk.
    private let start: Int
    private let random = SeededRandomness(seed: 20)

    init() throws {
        key = try AgeTestKey()
        file = try AgeFile.encrypted(content, to: [key.recipient, AgeTestKey(seed: 2).recipient])
        start = file.count - content.count - 3 * AEAD.tagBytes
    }

    @Test("1,000 flipped bits: each is refused at the header or at the chunk that has it")
    func flips() throws {
        for round in 0..<1_000 {
            // Every third in the header or the nonce.
            let place = Int(random.integer() % UInt64(round % 3 == 0 ? start : file.count))
            var changed = file
            changed[place] ^= 1 << UInt8(random.integer() % 8)
            let read = try AgeFile.read(changed, [key.identity])
            let error = try #require(read.error, "byte \(place)")
            if place < start {
                #expect(error.offset <= start && read.content.isEmpty, "byte \(place): \(error)")
            } else {
                let chunk = (place - start) / Self.chunkBytes
                #expect(error == AgeFileError(chunkPlace(chunk), .chunkNotAuthentic))
                #expect(isStart(read.content) && read.content.count == chunk * 65_536)
            }
        }
    }

    @Test("1,000 cuts: each is refused at the header or at the chunk that is cut")
    func cuts() throws {
        for round in 0..<1_000 {
            let count = Int(random.integer() % UInt64(round % 3 == 0 ? start : file.count))
            let read = try AgeFile.read(Array(file.prefix(count)), [key.identity])
            let error = try #require(read.error, "\(count) bytes")
            #expect(error.offset <= count)
            let whole = max(0, count - start) / Self.chunkBytes
            #expect(isStart(read.content) && read.content.count <= whole * 65_536)
            if count < start {
                #expect(error.reason == .truncated, "\(count) bytes: \(error)")
            } else {
                #expect(error.offset == chunkPlace(whole))
            }
        }
    }

    @Test("a file that ends with an intact chunk that is not the last is cut off there")
    func cutAtChunk() throws {
        for chunk in 0...2 {
            let read = try AgeFile.read(
                Array(file.prefix(chunkPlace(chunk))), [key.identity])
            #expect(read.error == AgeFileError(chunkPlace(chunk), .truncated))
            // The last chunk of the cut file opens only as one that others follow.
            #expect(isStart(read.content) && read.content.count == max(0, chunk - 1) * 65_536)
        }
        let read = try AgeFile.read(Array(file.prefix(chunkPlace(2) + 15)), [key.identity])
        #expect(read.error == AgeFileError(chunkPlace(2), .truncated))
    }

    @Test("chunks that change places, are repeated or removed are refused")
    func order() throws {
        let head = file[..<start]
        let chunks = (0..<3).map {
            file[chunkPlace($0)..<min(chunkPlace($0 + 1), file.count)]
        }
        for order in [[1, 0, 2], [0, 0, 1, 2], [1, 2], [0, 2], [0, 1, 1, 2], [2]] {
            let changed = Array(head) + order.flatMap { chunks[$0] }
            let read = try AgeFile.read(changed, [key.identity])
            #expect(read.error?.reason == .chunkNotAuthentic, "\(order)")
            #expect(isStart(read.content) && read.content.count < content.count)
        }
    }

    @Test("data after the last chunk is refused, also after a full one")
    func trailingData() throws {
        let read = try AgeFile.read(file + [0], [key.identity])
        #expect(read.error == AgeFileError(chunkPlace(2), .chunkNotAuthentic))
        let full = try AgeFile.encrypted(AgeFile.content(65_536), to: [key.recipient])
        for extra in [[0], AgeFile.content(65_552), full] {
            let read = try AgeFile.read(full + extra, [key.identity])
            #expect(read.error == AgeFileError(full.count, .trailingData))
            #expect(read.content.isEmpty)
        }
    }

    @Test("an empty last chunk is refused after another, and accepted as the only one")
    func emptyLastChunk() throws {
        let fileKey = SecretBytes.generate(count: 16, randomness: random)
        let nonce = random.bytes(16)
        let stanza = try AgeStanza.text(
            wrapping: fileKey, for: key.keys.publicKey, randomness: random)
        let head = AgeHeader.text([stanza], fileKey: fileKey) + nonce
        var payload = AgePayload(fileKey: fileKey, nonce: nonce)
        let empty = try AgeFile.read(
            head + payload.seal([], isLast: true), [key.identity])
        #expect(empty.error == nil && empty.content.isEmpty)

        let full = AgeFile.content(65_536)
        let first = try payload.seal(full, isLast: false)
        payload.advance()
        let read = try AgeFile.read(
            head + first + payload.seal([], isLast: true), [key.identity])
        #expect(read.error == AgeFileError(head.count + first.count, .emptyLastChunk))
        #expect(read.content == full)
    }

    @Test("a reader that has failed returns nothing more, and one that has ended stays so")
    func afterwards() throws {
        var changed = file
        changed[start] ^= 1
        let failed = try AgeFile.reader(changed, [key.identity], pieceBytes: 50_000)
        for _ in 0..<3 {
            #expect(throws: AgeFileError(start, .chunkNotAuthentic)) { try failed.next() }
        }
        let ended = try AgeFile.reader(file, [key.identity], pieceBytes: 50_000)
        while try ended.next() != nil {}
        #expect(try ended.next() == nil)
    }

    /// Whether the content begins with `part`. Much faster than `starts(with:)` without optimisation.
    private func isStart(_ part: [UInt8]) -> Bool {
        constantTimeEqual(part, content.prefix(part.count))
    }

    private func chunkPlace(_ chunk: Int) -> Int { start + chunk * Self.chunkBytes }
}
