import ServiceRuntime
import TestSupport
import Testing

@testable import PersonalData

@Suite("G-17: photos without metadata")
struct CleanedPhotoTests {
    private func rule(_ file: [UInt8]) -> PhotoRule? {
        do {
            _ = try CleanedPhoto(file)
            return nil
        } catch {
            #expect(error.code == .invalidPhoto && error.fields == ["photo"])
            return error.violations.first.flatMap { PhotoRule(rawValue: $0.rule) }
        }
    }

    private func has(_ text: String, _ bytes: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: text.utf8) }
    }

    @Test("no metadata remains, in any format, and a cleaned photo stays as it is")
    func canaries() throws {
        for file in PhotoSamples.all + RealPhotos.all {
            let photo = try CleanedPhoto(file)
            #expect(!has(PhotoSamples.canary, photo.bytes), "\(photo.format)")
            #expect(!has("ns.adobe", photo.bytes) && !has("XMP", photo.bytes))
            #expect(try CleanedPhoto(photo.bytes).bytes == photo.bytes)
        }
    }

    @Test("what shows the picture remains byte for byte")
    func kept() throws {
        #expect(try CleanedPhoto(PhotoSamples.png()).bytes == PhotoSamples.png(metadata: false))
        for file in [PhotoSamples.simpleWebP(), PhotoSamples.simpleWebP(lossless: true)] {
            #expect(try CleanedPhoto(file).bytes == file)
        }
        let jpeg = try CleanedPhoto(PhotoSamples.jpeg()).bytes
        #expect(has("Adobe", jpeg) && has("JFIF", jpeg) && !has("ICC_PROFILE", jpeg))
        #expect(!has("Exif", jpeg) && !jpeg.contains(sequence: [7, 8, 9]), "the thumbnail")
        #expect(jpeg.contains(sequence: [1, 0xff, 0, 2, 0xff, 0xd0, 3]), "the scan")
    }

    @Test("of an animation one picture remains, however many frames it has")
    func animations() throws {
        func chunks(_ file: [UInt8]) throws -> [String] {
            PhotoSamples.chunkTypes(try CleanedPhoto(file).bytes)
        }
        #expect(try chunks(RealPhotos.animatedPNG) == ["IHDR", "iCCP", "IDAT", "IEND"])
        #expect(try chunks(RealPhotos.animatedWebP) == ["VP8X", "ICCP", "VP8L"])
        #expect(try chunks(RealPhotos.lossyAnimation) == ["VP8X", "ALPH", "VP8 "])
        #expect(try chunks(PhotoSamples.animatedWebP()) == ["VP8X", "VP8 "])
        for file in [RealPhotos.animatedPNG, RealPhotos.animatedWebP, RealPhotos.lossyAnimation] {
            let photo = try CleanedPhoto(file)
            #expect(photo.width == 6 && photo.height == 4)
        }
        let one = try CleanedPhoto(PhotoSamples.animatedWebP(frames: 1)).bytes
        #expect(one[20] == 0, "no flag of a profile, an animation or metadata")
        #expect(try CleanedPhoto(PhotoSamples.animatedWebP(frames: 10_000)).bytes == one)
    }

    @Test("a known colour space has our profile, and of any other profile nothing remains")
    func colours() throws {
        for file in [RealPhotos.animatedPNG, RealPhotos.animatedWebP, RealPhotos.jpeg] {
            let photo = try CleanedPhoto(file)
            #expect(photo.bytes.contains(sequence: ColourProfile.displayP3.icc))
        }
        let adobe = try CleanedPhoto(RealPhotos.adobeRGB).bytes
        #expect(adobe.contains(sequence: ColourProfile.adobeRGB.icc) && adobe[20] == 0x30)
        // A primary of another space.
        var jpeg = RealPhotos.jpeg
        let tag: [UInt8] = Array("XYZ ".utf8) + [0, 0, 0, 0, 0, 0, 0x83]
        let red = try #require(jpeg.indices.first { jpeg[$0...].starts(with: tag) })
        jpeg[red + 10] += 3
        #expect(!has("ICC_PROFILE", try CleanedPhoto(jpeg).bytes))
        let header = Array(PhotoSamples.png(metadata: false)[..<33])
        let rest = PhotoSamples.png(metadata: false)[33...]
        let expanding: [UInt8] = [120, 0, 0] + RealPhotos.expanding
        let contents: [[UInt8]] = [[], [0], [120], expanding, [120, 0, 0, 1]]
        for content in contents {
            let file = header + PhotoSamples.chunk("iCCP", content) + rest
            #expect(try CleanedPhoto(file).bytes == header + rest)
        }
    }

    @Test("a profile is read as it was written, and no other bytes trap or pass")
    func profiles() {
        let randomness = SeededRandomness(seed: 8)
        for space in ColourProfile.allCases {
            let icc = space.icc
            #expect(icc.count < 600 && ColourProfile(of: icc) == space)
            for count in 0..<icc.count {
                let known = ColourProfile(of: icc[..<count])
                #expect(known == nil || known == space)
                var changed = icc
                changed[count] = UInt8(truncatingIfNeeded: randomness.next())
                let other = ColourProfile(of: changed)
                #expect(other == nil || other == space)
            }
        }
    }

    @Test("the orientation is all that remains of EXIF, and turns width and height")
    func orientation() throws {
        for (file, isTurned) in [
            (PhotoSamples.jpeg(orientation: 3), false), (PhotoSamples.jpeg(orientation: 6), true),
            (PhotoSamples.animatedWebP(orientation: 3), false),
            (PhotoSamples.animatedWebP(orientation: 8), true),
        ] {
            let photo = try CleanedPhoto(file)
            #expect([photo.width, photo.height] == (isTurned ? [30, 40] : [40, 30]))
            #expect(photo.bytes.contains(sequence: [0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12]))
        }
        for orientation in [0, 1, 9] {
            let photo = try CleanedPhoto(PhotoSamples.jpeg(orientation: orientation))
            #expect(!has("Exif", photo.bytes) && photo.width == 40)
        }
    }

    @Test("the format is that of the content")
    func formats() throws {
        #expect(
            try PhotoSamples.all.map { try CleanedPhoto($0).format.rawValue }
                == ["image/jpeg", "image/jpeg", "image/png"]
                + [String](repeating: "image/webp", count: 4))
        for text in ["", "GIF89a", "RIFF\0\0\0\0WAVE", "<svg/>", "BM", "%PDF-1.7"] {
            #expect(rule(Array(text.utf8)) == .photoFormat, "\(text)")
        }
    }

    @Test("at most 5 MiB, and 8192 pixels in each direction")
    func limits() throws {
        #expect(rule([UInt8](repeating: 0, count: CleanedPhoto.bytesMax + 1)) == .photoBytes)
        for make in [
            { PhotoSamples.jpeg(width: $0, height: $1) },
            { PhotoSamples.png(width: $0, height: $1) },
            { PhotoSamples.simpleWebP(width: $0, height: $1) },
            { PhotoSamples.simpleWebP(width: $0, height: $1, lossless: true) },
            { PhotoSamples.animatedWebP(width: $0, height: $1) },
        ] as [(Int, Int) -> [UInt8]] {
            let largest = try CleanedPhoto(make(8_192, 8_192))
            #expect([largest.width, largest.height] == [8_192, 8_192])
            #expect(rule(make(8_193, 1)) == .photoPixels && rule(make(1, 8_193)) == .photoPixels)
        }
        #expect(rule(PhotoSamples.jpeg(width: 0)) == .photoPixels)
        #expect(rule(PhotoSamples.png(height: 0)) == .photoPixels)
    }

    @Test("a PNG with an unknown critical chunk, two headers, or more in a chunk than it has")
    func hostilePNG() {
        let file = PhotoSamples.png(metadata: false)
        let header = Array(file[..<33])
        for chunk in [
            PhotoSamples.chunk("ABCD", []), Array(file[8..<33]),
            PhotoSamples.chunk("gAMA", Array("GPS-canary".utf8)),
        ] {
            #expect(rule(header + chunk + file[33...]) == .photoFormat)
        }
    }

    @Test("a JPEG with more scans than programs write is refused")
    func scans() {
        let file = PhotoSamples.jpeg(metadata: false)
        let scan: [UInt8] = [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 4, 5]
        func rule(adding count: Int) -> PhotoRule? {
            let scans = [[UInt8]](repeating: scan, count: count).flatMap { $0 }
            return self.rule(file.dropLast(2) + scans + file.suffix(2))
        }
        #expect(rule(adding: JPEGFile.scansMax - 2) == nil)
        #expect(rule(adding: JPEGFile.scansMax - 1) == .photoFormat)
    }

    @Test("a file that ends early is refused at every byte")
    func truncations() {
        for file in PhotoSamples.all + RealPhotos.all {
            let end = file.count - (isTrailed(file) ? PhotoSamples.canary.utf8.count : 0)
            for count in 0..<end {
                #expect(rule(Array(file[..<count])) == .photoFormat, "\(count) of \(end)")
            }
        }
    }

    private func isTrailed(_ file: [UInt8]) -> Bool {
        file.suffix(PhotoSamples.canary.utf8.count).elementsEqual(PhotoSamples.canary.utf8)
    }

    @Test("no mutation traps, and what is accepted is within the limits and is accepted again")
    func mutations() throws {
        let randomness = SeededRandomness(seed: 21)
        for file in PhotoSamples.all + RealPhotos.all {
            for _ in 0..<3_000 {
                var mutated = file
                for _ in 0...randomness.next() % 4 {
                    let index = Int(randomness.next() % UInt64(mutated.count))
                    mutated[index] = UInt8(truncatingIfNeeded: randomness.next())
                }
                guard let photo = try? CleanedPhoto(mutated) else { continue }
                #expect((1...8_192).contains(photo.width) && (1...8_192).contains(photo.height))
                #expect(photo.bytes.count <= mutated.count + 40 + 600)
                #expect(try CleanedPhoto(photo.bytes).bytes == photo.bytes)
            }
        }
    }
}

extension [UInt8] {
    func contains(sequence: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: sequence) }
    }
}
