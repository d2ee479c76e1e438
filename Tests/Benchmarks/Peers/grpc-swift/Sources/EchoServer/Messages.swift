import SwiftProtobuf

// The messages of echo.proto, with the behaviour of code by protoc-gen-swift. Written by hand,
// since that plugin brings its own protoc, a thousand C++ files to compile.

struct EchoRequest: Message, _MessageImplementationBase {
    static let protoMessageName = "postern.benchmark.v1.EchoRequest"

    var refreshToken = ""
    var device: Device?
    var unknownFields = UnknownStorage()

    mutating func decodeMessage<D: Decoder>(decoder: inout D) throws {
        while let field = try decoder.nextFieldNumber() {
            switch field {
            case 1: try decoder.decodeSingularStringField(value: &refreshToken)
            case 2: try decoder.decodeSingularMessageField(value: &device)
            default: break
            }
        }
    }

    func traverse<V: Visitor>(visitor: inout V) throws {
        if !refreshToken.isEmpty {
            try visitor.visitSingularStringField(value: refreshToken, fieldNumber: 1)
        }
        if let device { try visitor.visitSingularMessageField(value: device, fieldNumber: 2) }
        try unknownFields.traverse(visitor: &visitor)
    }
}

struct Device: Message, _MessageImplementationBase {
    static let protoMessageName = "postern.benchmark.v1.Device"

    var deviceID = ""
    var platform = ""
    var name = ""
    var unknownFields = UnknownStorage()

    mutating func decodeMessage<D: Decoder>(decoder: inout D) throws {
        while let field = try decoder.nextFieldNumber() {
            switch field {
            case 1: try decoder.decodeSingularStringField(value: &deviceID)
            case 2: try decoder.decodeSingularStringField(value: &platform)
            case 3: try decoder.decodeSingularStringField(value: &name)
            default: break
            }
        }
    }

    func traverse<V: Visitor>(visitor: inout V) throws {
        for (field, text) in [(1, deviceID), (2, platform), (3, name)] where !text.isEmpty {
            try visitor.visitSingularStringField(value: text, fieldNumber: field)
        }
        try unknownFields.traverse(visitor: &visitor)
    }
}

struct EchoResponse: Message, _MessageImplementationBase {
    static let protoMessageName = "postern.benchmark.v1.EchoResponse"

    var session: Session?
    var unknownFields = UnknownStorage()

    mutating func decodeMessage<D: Decoder>(decoder: inout D) throws {
        while let field = try decoder.nextFieldNumber() {
            switch field {
            case 1: try decoder.decodeSingularMessageField(value: &session)
            default: break
            }
        }
    }

    func traverse<V: Visitor>(visitor: inout V) throws {
        if let session { try visitor.visitSingularMessageField(value: session, fieldNumber: 1) }
        try unknownFields.traverse(visitor: &visitor)
    }
}

struct Session: Message, _MessageImplementationBase {
    static let protoMessageName = "postern.benchmark.v1.Session"

    var sessionID = ""
    var accessToken = ""
    var accessExpiresAtMs: Int64 = 0
    var idleExpiresAtMs: Int64 = 0
    var unknownFields = UnknownStorage()

    mutating func decodeMessage<D: Decoder>(decoder: inout D) throws {
        while let field = try decoder.nextFieldNumber() {
            switch field {
            case 1: try decoder.decodeSingularStringField(value: &sessionID)
            case 2: try decoder.decodeSingularStringField(value: &accessToken)
            case 3: try decoder.decodeSingularInt64Field(value: &accessExpiresAtMs)
            case 5: try decoder.decodeSingularInt64Field(value: &idleExpiresAtMs)
            default: break
            }
        }
    }

    func traverse<V: Visitor>(visitor: inout V) throws {
        if !sessionID.isEmpty {
            try visitor.visitSingularStringField(value: sessionID, fieldNumber: 1)
        }
        if !accessToken.isEmpty {
            try visitor.visitSingularStringField(value: accessToken, fieldNumber: 2)
        }
        if accessExpiresAtMs != 0 {
            try visitor.visitSingularInt64Field(value: accessExpiresAtMs, fieldNumber: 3)
        }
        if idleExpiresAtMs != 0 {
            try visitor.visitSingularInt64Field(value: idleExpiresAtMs, fieldNumber: 5)
        }
        try unknownFields.traverse(visitor: &visitor)
    }
}
