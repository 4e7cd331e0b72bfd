"""Dumps as people have published them, names replaced and ports left out: each is read, or refused with the reason."""

import io
from dataclasses import dataclass

import numpy as np
import pytest

from estimator.asbuilt.readers.files import read_links
from estimator.asbuilt.readers.found import HOST, SWITCH
from estimator.asbuilt.to_spec import design_of_dump
from estimator.catalog.loader import load_catalog
from estimator.errors import EstimatorError


@dataclass(frozen=True)
class Dump:
    """A file; (format, hosts, switches, links, rates), or the code of a refusal, of reading or of making a design of it."""

    source: str
    text: str
    read: tuple[str, int, int, int, set[int]] | None = None
    refused: str = ""


SIMULATED = """ibwarn: [6931] sim_connect: attached as client 1 at node "Switch1"
#
# Topology file: generated on Sat Jun 20 14:51:33 2026
#
vendid=0x0
switchguid=0x200001(200001)
Switch  8 "S-0000000000200001"          # "Switch2" base port 0 lid 3 lmc 0
[3]     "S-0000000000200000"[3]         # "Switch1" lid 1 4xSDR
[4]     "S-0000000000200000"[4]         # "Switch1" lid 1 4xSDR

switchguid=0x200000(200000)
Switch  8 "S-0000000000200000"          # "Switch1" base port 0 lid 1 lmc 0
[1]     "H-0000000000100000"[1](100001)                 # "Hca1" lid 2 4xSDR
[2]     "H-0000000000100003"[2](100005)                 # "Hca2" lid 4 4xSDR
[3]     "S-0000000000200001"[3]         # "Switch2" lid 3 4xSDR
[4]     "S-0000000000200001"[4]         # "Switch2" lid 3 4xSDR
"""
EDR = """# Initiated from node 506b4b030043f9e2 port 506b4b030043f9e2
vendid=0x2c9
devid=0xcb20
sysimgguid=0xec0d9a0300ec8240
switchguid=0xec0d9a0300ec8240(ec0d9a0300ec8240)
Switch\t36 "S-ec0d9a0300ec8240"\t\t# "SwitchIB Mellanox Technologies" base port 0 lid 48 lmc 0
[1]\t"H-506b4b03003fa9b6"[1](506b4b03003fa9b6) \t\t# "node018 HCA-1" lid 67 4xEDR
[2]\t"H-506b4b03003fa9aa"[1](506b4b03003fa9aa) \t\t# "node020 HCA-1" lid 89 4xEDR
[3]\t"H-506b4b030043f9c6"[1](506b4b030043f9c6) \t\t# "node014 HCA-1" lid 86 4xEDR
"""
QDR = """vendid=0x2c9
switchguid=0x2c9020046c588(2c9020046c588)
Switch  36 "S-0002c9020046c588"                     # "Infiniscale-IV Mellanox Technologies" base port 0 lid 2 lmc 0
[1]     "H-0002c90300293e1e"[1](2c90300293e1f)      # "ip-211 mlx4_0" lid 6 4xQDR
[33]    "H-0002c903000d7aac"[1](2c903000d7aad)      # "ip-160 HCA-1" lid 5 4xQDR

caguid=0x2c903000d7aac
Ca  1 "H-0002c903000d7aac"                          # "ip-160 HCA-1"
"""
QDR_LINKS = """CA: ip-210 mlx4_0:
      0x0002c903000cc89b      3    1[  ] ==( 4X  10.0 Gbps Active/  LinkUp)==>  2   36[  ] "Infiniscale-IV Mellanox" ( )
Switch: 0x0002c9020046c588 Infiniscale-IV Mellanox Technologies:
           2   32[  ] ==(                Down/ Polling)==>             [  ] "" ( )
           2   33[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>       5    1[  ] "ip-160 HCA-1" ( )
           2   36[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>       3    1[  ] "ip-210 mlx4_0" ( )
"""
IN_COMMENTS = """# Topology file: generated on Tue Sep  5 18:01:40 2006
#switchguid=0x8f10400411a08
#Switch  24 "S-0008f104003f1e29"         # "ISR2012/ISR2004 Voltaire sLB-2024" base port 0 lid 742 lmc 0
#[24]    "H-0002c90200247010"[1]         # "host35" lid 1252
"""
TO_EACH_OTHER = """CA: MT25408 ConnectX Mellanox Technologies:
      0x0002c90300002779      4    1[  ] ==( 4X           5.0 Gbps Active/  LinkUp)==>       3    1[  ] "kvm mlx4_0" ( )
CA: kvm mlx4_0:
      0x0002c90300002f79      3    1[  ] ==( 4X  5.0 Gbps Active/  LinkUp)==>  4    1[  ] "MT25408 ConnectX Mellanox" ( )
"""
EDR_LINKS = """CA: n02 HCA-1:
      0xec0d9a03003d62be      4    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       2   17[  ] "MF0;SW1:MSB7700/U1" ( )
CA: mgt mlx5_0:
      0x248a070300928186      3    1[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       2   36[  ] "MF0;SW1:MSB7700/U1" ( )
Switch: 0x506b4b0300820910 MF0;SW1:MSB7700/U1:
           2    1[  ] ==(                Down/ Polling)==>             [  ] "" ( )
"""
LINE_A_LINK = "".join(
    f'0x0000000000200002 "               su1-leaf-r1"      4 {port:>4}[  ] ==( 4X           2.5 Gbps Active/  LinkUp)==>  '
    f'0x000000000010000{port}      {port + 4}    1[  ] "gpu0{port} mlx5_0" (Could be 12X Could be 10.0 Gbps)\n'
    for port in range(1, 5)
)
SONIC = """cisco@spine01:~$ show lldp table
Capability codes: (R) Router, (B) Bridge, (O) Other
LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr
-----------  --------------  --------------  ------------  -----------------
Ethernet0    leaf01          etp0            BR            Ethernet0
Ethernet8    leaf01          etp1            BR            Ethernet8
Ethernet16   leaf02          etp2            BR            Ethernet16
"""
WITHOUT_NAMES = """admin@spine02:~$ show lldp table
Capability codes: (R) Router, (B) Bridge, (O) Other
LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr
-----------  --------------  --------------  ------------  -----------------
Ethernet0    T1-a            fortyGigE0/0    BR            Ethernet1
Ethernet1    T1-a            fortyGigE0/4    BR            Ethernet2
Ethernet4                    fortyGigE0/0                  Ethernet1
Ethernet16   T1-b            fortyGigE0/0    BR            Ethernet1
"""
TWO_COMMANDS = """admin@leaf07:~$ show lldp table
Capability codes: (R) Router, (B) Bridge, (O) Other
LocalPort    RemoteDevice    RemotePortID                 Capability    RemotePortDescr
-----------  --------------  ---------------------------  ------------  -----------------
Ethernet104  sw0             FortyGigabitEthernet 1/0/49
Ethernet108  sw0             FortyGigabitEthernet 1/0/50
Ethernet116                  00:00:5e:00:53:e0
--------------------------------------------------
Total entries displayed:  3
admin@leaf07:~$ show lldp neighbors
-------------------------------------------------------------------------------
LLDP neighbors:
-------------------------------------------------------------------------------
Interface:    Ethernet104, via: LLDP, RID: 6, Time: 0 day, 17:03:57
  Chassis:
    ChassisID:    mac 00:00:5e:00:53:94
    SysName:      sw0
  Port:
    PortID:       ifname FortyGigabitEthernet 1/0/49
    TTL:          120
"""
NDT = """rack #,U height,#Fields:StartDevice,StartPort,StartDeviceLocation,EndDevice,EndPort,EndDeviceLocation,Speed,State
,,SwitchX -  Mellanox Technologies,Port 26,,host-64 mlx5_0,Port 1,,,Active
,,SwitchX -  Mellanox Technologies,Port 27,,host-65 mlx5_0,Port 1,,,Active
,,SwitchX -  Mellanox Technologies,Port 28,,,,,,Disabled
"""
TEST_BED = """StartDevice,StartPort,EndDevice,EndPort,BandWidth,VlanID,VlanMode
dut1,Ethernet0,tester,Card6/Port1,100000,2,Access
dut1,Ethernet4,tester,Card6/Port2,100000,2,Access
dut2,Ethernet112,tester,Card9/Port1,100000,2,Access
"""
ADAPTERS_ALONE = """...
CA: node00 mlx4_0:
      0xe41d2d0300309251      8    1[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>      22    1[  ] "MF0;ibsw:IS5035/U1" ( )
CA: node01 mlx4_0:
      0xe41d2d0300309301     27    1[  ] ==( 4X          10.0 Gbps Active/  LinkUp)==>      22    2[  ] "MF0;ibsw:IS5035/U1" ( )
...
"""
MASKED_GUIDS = """root@node139:/# ibnetdiscover
vendid=0x2c9
switchguid=0x9c05<redacted>(9c05<redacted>)
Switch\t129 "S-9c05<redacted>"\t\t# "MF0;sw-02:MQM9700/U1" enhanced port 0 lid 1 lmc 0
[1]\t"H-b83f<redacted>"[1](b83f<redacted>) \t\t# "node005 mlx5_2" lid 22 2xNDR
"""
HALF_PORTS = MASKED_GUIDS.replace("9c05<redacted>", "9c05910300000001").replace("b83f<redacted>", "b83fd20300000011")
VYOS = """vyos@r4:~$ show lldp neighbors detail
-------------------------------------------------------------------------------
Interface:    eth0, via: LLDP, RID: 2, Time: 0 day, 00:00:17
  Chassis:
    ChassisID:    mac 00:00:5e:00:53:1d
    SysName:      r16
    SysDescr:     VyOS 1.5-rolling-202406130020
    Capability:   Router, on
  Port:
    PortID:       ifname eth0
    PortDescr:    WAN
    TTL:          120
"""
DUMPS = (
    Dump("a course on ibsim", SIMULATED, ("ibnetdiscover", 2, 2, 4, {10})),
    Dump("a viewer of topologies, EDR", EDR, ("ibnetdiscover", 3, 1, 3, {100})),
    Dump("a note on a home laboratory, ibnetdiscover", QDR, ("ibnetdiscover", 2, 1, 2, {40})),
    Dump("the same, iblinkinfo", QDR_LINKS, ("iblinkinfo", 2, 1, 2, {40})),
    Dump("a Perl module of 2006, all in comments", IN_COMMENTS, refused="no_links"),
    Dump("ArchWiki, InfiniBand", TO_EACH_OTHER, refused="no_servers"),
    Dump("a report on a small HPL cluster", EDR_LINKS, ("iblinkinfo", 2, 1, 2, {100})),
    Dump("a course on a simulated SuperPOD, iblinkinfo -l", LINE_A_LINK, ("iblinkinfo", 4, 1, 4, {10})),
    Dump("a SONiC laboratory of Cisco", SONIC, ("lldp", 0, 0, 3, {0})),
    Dump("a SONiC switch without its prompt", SONIC.partition("\n")[2], refused="no_local_device"),
    Dump("sonic-net/sonic-buildimage#11645, neighbours without a name", WITHOUT_NAMES, ("lldp", 0, 0, 3, {0})),
    Dump("sonic-net/sonic-buildimage#18871, a table and lldpcli", TWO_COMMANDS, ("lldp", 0, 0, 2, {0})),
    Dump("Mellanox/ufm_sdk_3.0, the simulator of the NDT plugin", NDT, ("csv", 0, 0, 2, {0})),
    Dump("sonic-net/sonic-mgmt, links of a test bed with a tester", TEST_BED, ("csv", 0, 0, 3, {100})),
    Dump("LegoOS, LIDs of a cluster by iblinkinfo", ADAPTERS_ALONE, ("iblinkinfo", 2, 1, 2, {40})),
    Dump("a guide to a cluster of H20 nodes, GUIDs masked", MASKED_GUIDS, refused="no_links"),
    Dump("the same with GUIDs, split NDR ports", HALF_PORTS, ("ibnetdiscover", 1, 1, 1, {200})),
    Dump("vyos/vyos-1x#3590", VYOS, ("lldp", 0, 0, 1, {0})),
)


@pytest.mark.parametrize("dump", DUMPS, ids=lambda dump: dump.source)
def test_a_published_dump_is_read_or_refused_with_the_reason(dump: Dump) -> None:
    if dump.read is None:
        with pytest.raises(EstimatorError) as error:
            design_of_dump(read_links(io.BytesIO(dump.text.encode())), load_catalog())
        assert error.value.problems[0].code == dump.refused
        return
    found = read_links(io.BytesIO(dump.text.encode()))
    low = np.minimum(found.a_device * 1000 + found.a_port, found.b_device * 1000 + found.b_port)
    counts = found.format, found.kinds.count(HOST), found.kinds.count(SWITCH), len(set(low.tolist()))
    assert (*counts, set(found.rate_gbit_s.tolist())) == dump.read
