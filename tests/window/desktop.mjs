/** A desktop that takes notifications: a session bus of its own, and the service that shows them. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import dbus from "@particle/dbus-next";

const { Interface } = dbus.interface;
const NAME = "org.freedesktop.Notifications";

class Notifications extends Interface {
  constructor() {
    super(NAME);
    this.shown = [];
  }

  Notify(_app, _replaces, _icon, title, body, actions) {
    this.shown.push({ title, body, actions });
    return this.shown.length;
  }

  CloseNotification() {}

  GetCapabilities() {
    return ["actions", "body", "body-markup"];
  }

  GetServerInformation() {
    return ["journey", "Ralph", "1", "1.2"];
  }

  ActionInvoked(id, action) {
    return [id, action];
  }
}

Notifications.configureMembers({
  methods: {
    Notify: { inSignature: "susssasa{sv}i", outSignature: "u" },
    CloseNotification: { inSignature: "u" },
    GetCapabilities: { outSignature: "as" },
    GetServerInformation: { outSignature: "ssss" },
  },
  signals: { ActionInvoked: { signature: "us" } },
});

export class Desktop {
  /** Starts the bus and the service. */
  static async start() {
    const daemon = spawn("dbus-daemon", ["--session", "--nofork", "--nopidfile", "--print-address"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [address] = await new Promise((done, fail) => {
      daemon.on("error", fail);
      createInterface({ input: daemon.stdout }).once("line", (line) => done([line]));
    });
    const bus = dbus.sessionBus({ busAddress: address });
    const service = new Notifications();
    await bus.requestName(NAME, 0);
    bus.export("/org/freedesktop/Notifications", service);
    return new Desktop(daemon, address, bus, service);
  }

  constructor(daemon, address, bus, service) {
    Object.assign(this, { daemon, address, bus, service });
  }

  /** What was shown so far, oldest first. */
  get shown() {
    return this.service.shown;
  }

  /** Clicks on a notification itself; `index` counts from 0. */
  click(index) {
    this.service.ActionInvoked(index + 1, "default");
  }

  end() {
    this.bus.disconnect();
    this.daemon.kill();
  }
}
