import Testing

@testable import Messages

@Suite("The canonical reader and writer agree with libprotobuf-c")
struct CanonicalReaderTests {
    @Test(
        "every golden message is canonical and read as libprotobuf-c reads it",
        arguments: Golden.all)
    func golden(golden: Golden) throws {
        let type = try #require(AllMessages.byName[golden.name])
        let (ordinary, library) = Readings.both(golden.bytes, as: type)
        #expect(ordinary != nil)
        #expect(ordinary == library)
    }

    @Test(
        "a truncation that the canonical reader accepts is read as libprotobuf-c reads it",
        arguments: Golden.all)
    func truncations(golden: Golden) throws {
        let type = try #require(AllMessages.byName[golden.name])
        for length in golden.bytes.indices {
            let (ordinary, library) = Readings.both(Array(golden.bytes[..<length]), as: type)
            #expect(ordinary == nil || ordinary == library, "cut at \(length)")
        }
    }

    @Test(
        "of 200,000 mutations those that the canonical reader accepts are read as by libprotobuf-c")
    func mutations() throws {
        let seed: UInt64 = 20_261_121
        var mutator = Mutator(seed: seed)
        var (taken, left) = (0, 0)
        for round in 0..<200_000 {
            let golden = Golden.all[mutator.below(Golden.all.count)]
            let type = try #require(AllMessages.byName[golden.name])
            let other = Golden.all[mutator.below(Golden.all.count)]
            let bytes = mutator.mutated(golden.bytes, with: other.bytes)
            let (ordinary, library) = Readings.both(bytes, as: type)
            guard let ordinary else {
                left += 1
                continue
            }
            taken += 1
            #expect(ordinary == library, "round \(round) of seed \(seed), \(golden): \(bytes)")
        }
        // If all or none of the mutations were accepted, the test would show nothing.
        #expect(taken > 20_000 && left > 20_000)
    }

    @Test("encoded sizes are exact for numbers at every length of a varint")
    func numbers() {
        for shift in 0..<64 {
            for value in [UInt64(1) << shift, (UInt64(1) << shift) &- 1] {
                let frame = WireV1.Frame(kind: .ping(WireV1.Ping(token: value)))
                let account = GatewayV1.Session(
                    accessExpiresAtMs: Int64(bitPattern: value),
                    idleExpiresAtMs: Int64(bitPattern: ~value))
                #expect(frame.encoded().count == frame.encodedByteCount)
                #expect(Readings.areEqual(frame) && Readings.areEqual(account))
            }
        }
    }

    @Test("bytes that are no text are found at every place of a text, and other text is accepted")
    func textBytes() {
        func both(_ text: [UInt8]) -> (ordinary: AnyHashable?, library: AnyHashable?) {
            Readings.both([0x0a, UInt8(text.count)] + text, as: RateLimitV1.Charge.self)
        }
        for count in 1...40 {
            for place in 0..<count {
                var text = [UInt8](repeating: 0x61, count: count)
                for byte: UInt8 in [0x00, 0x80, 0xff] {
                    text[place] = byte
                    #expect(both(text) == (nil, nil))
                }
                text.replaceSubrange(place...place, with: [0xc3, 0xa9])
                let (ordinary, library) = both(text)
                #expect(ordinary != nil && ordinary == library)
            }
        }
    }

    @Test("a nested message has a length of as many bytes as it needs")
    func nestedLengths() {
        for count in Array(100...140) + Array(16_350...16_400) {
            let payload = [UInt8](repeating: 7, count: count)
            let frame = WireV1.Frame(kind: .item(WireV1.Item(call: 1, payload: payload)))
            #expect(frame.encoded().count == frame.encodedByteCount)
            #expect(Readings.areEqual(frame))
        }
    }

    @Test(
        "encodings that are not canonical are left to libprotobuf-c, which accepts or rejects them",
        arguments: [
            // Another order of fields; a field that occurs twice.
            ([0x12, 0x01, 0x62, 0x0a, 0x01, 0x61], true),
            ([0x0a, 0x01, 0x61, 0x0a, 0x01, 0x62], true),
            // An unknown field before and after.
            ([0xa0, 0x06, 0x01, 0x0a, 0x01, 0x61], true),
            ([0x0a, 0x01, 0x61, 0xa0, 0x06, 0x01], true),
            // A tag and a length in a longer form than needed.
            ([0x8a, 0x00, 0x01, 0x61], true),
            ([0x0a, 0x81, 0x80, 0x80, 0x80, 0x80, 0x00, 0x61], false),
            // Invalid text, a wrong wire type, field 0, truncated fields.
            ([0x0a, 0x01, 0x00], false), ([0x08, 0x01], false), ([0x00], false),
            ([0x0a, 0x01], false),
            ([0x0a], false), ([0x80], false),
        ] as [([UInt8], Bool)])
    func nonCanonical(bytes: [UInt8], isMessage: Bool) {
        let (ordinary, library) = Readings.both(bytes, as: RateLimitV1.Charge.self)
        #expect(ordinary == nil)
        #expect((library != nil) == isMessage)
    }

    @Test("a number wider than its field is truncated as libprotobuf-c does")
    func width() {
        let longest: [UInt8] = Array(repeating: 0xff, count: 9)
        for last: UInt8 in [0, 1, 2, 0x7f] {
            for tag: UInt8 in [0x08, 0x10, 0x18] {
                let bytes = [tag] + longest + [last]
                let (ordinary, library) = Readings.both(bytes, as: WireV1.GoAway.self)
                #expect(library != nil)
                #expect((ordinary != nil) == (last < 2))
                #expect(ordinary == nil || ordinary == library)
            }
        }
    }

    @Test("arrays beyond the memory budget are left to libprotobuf-c")
    func budget() {
        let few = [UInt8](repeatElement([0x0a, 0x00], count: 8).joined())
        let many = [UInt8](repeatElement([0x0a, 0x00], count: 4_096).joined())
        #expect(Readings.both(few, as: RateLimitV1.ConsumeRequest.self).ordinary != nil)
        #expect(Readings.both(many, as: RateLimitV1.ConsumeRequest.self).ordinary == nil)
    }

    @Test("a packed field of numbers is read as written, and its truncations are rejected")
    func packedNumbers() throws {
        let values: [UInt64] = [0, 1, 127, 128, .max]
        var size = WireSize()
        size.numbers(10, values)
        let bytes = [UInt8](unsafeUninitializedCapacity: size.byteCount) { buffer, count in
            var writer = WireWriter(UnsafeMutableRawBufferPointer(buffer))
            writer.numbers(10, values)
            count = writer.isFull ? size.byteCount : 0
        }
        #expect(Numbers.read(bytes) == values)
        for length in 1..<bytes.count { #expect(Numbers.read(Array(bytes[..<length])) == nil) }
    }

    @Test("the encoder writes nothing beyond its memory, and says that a message does not fit")
    func tooSmall() throws {
        for golden in Golden.all {
            let type = try #require(AllMessages.byName[golden.name])
            let message = try type.init(decoding: golden.bytes)
            for count in 0..<golden.bytes.count {
                var memory = [UInt8](repeating: 0xa5, count: golden.bytes.count + 16)
                let hasOverflowed = memory.withUnsafeMutableBytes { bytes in
                    var writer = WireWriter(
                        UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]))
                    message.encode(to: &writer)
                    return writer.hasOverflowed && !writer.isFull
                }
                #expect(hasOverflowed)
                #expect(memory[count...].allSatisfy { $0 == 0xa5 })
            }
        }
    }

    @Test("the encoder writes nothing beyond the computed size")
    func exactSize() throws {
        for golden in Golden.all {
            let type = try #require(AllMessages.byName[golden.name])
            let message = try type.init(decoding: golden.bytes)
            let memory = UnsafeMutableRawBufferPointer.allocate(
                byteCount: golden.bytes.count + 8, alignment: 1)
            defer { memory.deallocate() }
            memory.initializeMemory(as: UInt8.self, repeating: 0xa5)
            let start = try #require(memory.baseAddress)
            let count = message.encodedByteCount
            message.encode(to: start, byteCount: count)
            #expect(Array(memory[..<count]) == golden.bytes)
            #expect(memory[count...].allSatisfy { $0 == 0xa5 })
        }
    }
}
